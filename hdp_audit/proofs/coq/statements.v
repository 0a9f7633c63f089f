(* Three statements of the ledger, whole: nothing but Coq's own axioms of the reals is assumed. *)

Require Import Reals Lra List Permutation.
Import ListNotations.
Open Scope R_scope.

(* Sums over lists *)

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | a :: rest => f a + sum f rest end.

Lemma sum_le {A} (f g : A -> R) (l : list A) :
  (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof.
  induction l as [| a l IH]; simpl; intros H; [lra |].
  assert (f a <= g a) by (apply H; auto).
  assert (sum f l <= sum g l) by (apply IH; auto). lra.
Qed.

Lemma sum_scale {A} (c : R) (f : A -> R) (l : list A) : sum (fun a => c * f a) l = c * sum f l.
Proof. induction l as [| a l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_add {A} (f g : A -> R) (l : list A) : sum (fun a => f a + g a) l = sum f l + sum g l.
Proof. induction l as [| a l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_nonneg {A} (f : A -> R) (l : list A) : (forall a, 0 <= f a) -> 0 <= sum f l.
Proof. intros H; induction l as [| a l IH]; simpl; [lra | specialize (H a); lra]. Qed.

Lemma sum_map {A B} (f : B -> R) (s : A -> B) (l : list A) : sum f (map s l) = sum (fun a => f (s a)) l.
Proof. induction l as [| a l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma sum_app {A} (f : A -> R) (l k : list A) : sum f (l ++ k) = sum f l + sum f k.
Proof. induction l as [| a l IH]; simpl; [ring | rewrite IH; ring]. Qed.

(* Some of the terms, each at most once, are no more than all of them. *)
Lemma sum_incl {A} (f : A -> R) (l : list A) :
  (forall a, 0 <= f a) -> NoDup l -> forall k, incl l k -> sum f l <= sum f k.
Proof.
  intros pos; induction l as [| a l IH]; intros once k within; simpl.
  - apply sum_nonneg; exact pos.
  - inversion once as [| ? ? absent once']; subst.
    destruct (in_split a k) as [before [after E]]; [apply within; left; reflexivity |].
    subst k. rewrite sum_app; simpl.
    assert (sum f l <= sum f (before ++ after)).
    { apply IH; [exact once' |]. intros b Hb.
      assert (In b (before ++ a :: after)) as Hk by (apply within; right; exact Hb).
      apply in_app_or in Hk. apply in_or_app.
      destruct Hk as [Hk | [Hk | Hk]]; auto. subst b. contradiction. }
    rewrite sum_app in H. lra.
Qed.

(* The weighted mean with Laplace noise: whoever changes their own datum in [0, 1] changes the density of no output by
   more than a factor of e^eps_i, and the probability of no interval. *)

Definition total (w x : nat -> R) (users : list nat) : R := sum (fun i => w i * x i) users.
Definition density (centre scale a : R) : R := exp (- (Rabs (a - centre) / scale)) / (2 * scale).

Lemma total_moves (w x y : nat -> R) (i : nat) (users : list nat) :
  NoDup users -> (forall j, 0 <= w j) -> (forall j, j <> i -> x j = y j) ->
  0 <= x i <= 1 -> 0 <= y i <= 1 -> Rabs (total w x users - total w y users) <= w i.
Proof.
  intros once pos same first second. unfold total.
  assert (forall l, ~ In i l -> sum (fun j => w j * x j) l = sum (fun j => w j * y j) l) as others.
  { induction l as [| j l IH]; simpl; intros absent; [reflexivity |].
    rewrite IH by tauto. rewrite (same j) by (intro E; subst; tauto). reflexivity. }
  assert (Rabs (x i - y i) <= 1) as near by (apply Rabs_le; lra).
  destruct (in_dec Nat.eq_dec i users) as [inside | outside].
  - destruct (in_split i users inside) as [before [after E]]; subst users.
    apply NoDup_remove in once. destruct once as [_ absent].
    rewrite !sum_app; simpl.
    rewrite (others before) by (intro; apply absent, in_or_app; tauto).
    rewrite (others after) by (intro; apply absent, in_or_app; tauto).
    match goal with |- Rabs ?e <= _ => replace e with (w i * (x i - y i)) by ring end.
    rewrite Rabs_mult, (Rabs_pos_eq (w i)) by apply pos.
    specialize (pos i). nra.
  - rewrite others by exact outside. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. apply pos.
Qed.

Lemma exp_mono (a b : R) : a <= b -> exp a <= exp b.
Proof. intros [H | H]; [left; apply exp_increasing; exact H | right; rewrite H; reflexivity]. Qed.

Theorem laplace_mean_is_private (w x y eps : nat -> R) (t a : R) (i : nat) (users : list nat) :
  NoDup users -> (forall j, 0 <= w j) -> 0 < t -> w i <= t * eps i ->
  (forall j, j <> i -> x j = y j) -> 0 <= x i <= 1 -> 0 <= y i <= 1 ->
  density (total w x users) t a <= exp (eps i) * density (total w y users) t a.
Proof.
  intros once pos scale spent same first second.
  pose proof (total_moves w x y i users once pos same first second) as moved.
  unfold density. set (p := total w x users) in *. set (q := total w y users) in *.
  unfold Rdiv at 1 3. rewrite <- Rmult_assoc. apply Rmult_le_compat_r.
  - apply Rlt_le, Rinv_0_lt_compat. lra.
  - rewrite <- exp_plus. apply exp_mono.
    assert (Rabs (a - q) <= Rabs (a - p) + Rabs (p - q)) as triangle.
    { replace (a - q) with ((a - p) + (p - q)) by ring. apply Rabs_triang. }
    assert (Rabs (a - q) / t <= Rabs (a - p) / t + eps i); [| lra].
    apply Rmult_le_reg_r with t; [exact scale |].
    replace ((Rabs (a - p) / t + eps i) * t) with (Rabs (a - p) + t * eps i) by (field; lra).
    replace (Rabs (a - q) / t * t) with (Rabs (a - q)) by (field; lra). lra.
Qed.

Theorem laplace_mean_on_intervals (w x y eps : nat -> R) (t c d : R) (i : nat) (users : list nat)
  (first : Riemann_integrable (density (total w x users) t) c d)
  (second : Riemann_integrable (fun a => exp (eps i) * density (total w y users) t a) c d) :
  c <= d -> NoDup users -> (forall j, 0 <= w j) -> 0 < t -> w i <= t * eps i ->
  (forall j, j <> i -> x j = y j) -> 0 <= x i <= 1 -> 0 <= y i <= 1 ->
  RiemannInt first <= RiemannInt second.
Proof.
  intros order once pos scale spent same low high. apply RiemannInt_P19; [exact order |].
  intros a _. apply laplace_mean_is_private; assumption.
Qed.

(* The game: two laws within a factor e^eps of each other, a fair coin between them, and any rule that guesses it from
   the outcome, by chance too (guess a: how likely it says "first" at a). *)

Theorem fair_coin_is_guessed_rarely {A} (outcomes : list A) (first second guess : A -> R) (eps : R) :
  sum first outcomes = 1 -> sum second outcomes = 1 ->
  (forall a, first a <= exp eps * second a) -> (forall a, second a <= exp eps * first a) ->
  (forall a, 0 <= guess a <= 1) ->
  sum (fun a => guess a * first a / 2 + (1 - guess a) * second a / 2) outcomes <= 1 / (1 + exp (- eps)).
Proof.
  intros one other up down law.
  assert (0 < exp eps) as positive by apply exp_pos.
  assert (1 / (1 + exp (- eps)) = exp eps / (exp eps + 1)) as form.
  { rewrite exp_Ropp. field. split; lra. }
  rewrite form.
  assert (sum (fun a => guess a * first a / 2 + (1 - guess a) * second a / 2) outcomes <=
          sum (fun a => exp eps / (exp eps + 1) / 2 * (first a + second a)) outcomes) as terms.
  { apply sum_le. intros a _. specialize (up a). specialize (down a). specialize (law a).
    apply Rmult_le_reg_r with (2 * (exp eps + 1)); [lra |].
    replace (exp eps / (exp eps + 1) / 2 * (first a + second a) * (2 * (exp eps + 1)))
      with (exp eps * (first a + second a)) by (field; lra).
    replace ((guess a * first a / 2 + (1 - guess a) * second a / 2) * (2 * (exp eps + 1)))
      with (guess a * (first a * (exp eps + 1)) + (1 - guess a) * (second a * (exp eps + 1))) by field.
    assert (first a * (exp eps + 1) <= exp eps * (first a + second a)) by lra.
    assert (second a * (exp eps + 1) <= exp eps * (first a + second a)) by lra.
    nra. }
  rewrite (sum_scale (exp eps / (exp eps + 1) / 2) (fun a => first a + second a)) in terms.
  rewrite (sum_add first second), one, other in terms.
  replace (exp eps / (exp eps + 1) / 2 * (1 + 1)) with (exp eps / (exp eps + 1)) in terms by (field; lra).
  exact terms.
Qed.

(* Alignment: if moving the draws by s undoes a change of the data, and no draw becomes less likely by more than a
   factor of e^eps, then no event becomes so. Draws from a finite list, s one-to-one on it. *)

Theorem aligned_draws_are_private {Z O} (draws others : list Z) (mass : Z -> R) (s : Z -> Z)
  (before after : Z -> O) (event : O -> bool) (eps : R) :
  (forall z, 0 <= mass z) -> NoDup (map s draws) -> incl (map s draws) others ->
  (forall z, In z draws -> after (s z) = before z) ->
  (forall z, In z draws -> mass z <= exp eps * mass (s z)) ->
  sum (fun z => if event (before z) then mass z else 0) draws <=
  exp eps * sum (fun z => if event (after z) then mass z else 0) others.
Proof.
  intros pos once within undone dear.
  apply Rle_trans with (exp eps * sum (fun z => if event (after z) then mass z else 0) (map s draws)).
  - rewrite sum_map, <- sum_scale. apply sum_le. intros z Hz.
    rewrite (undone z Hz). destruct (event (before z)); [apply dear; exact Hz | lra].
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos |].
    apply sum_incl; auto. intro z. destruct (event (after z)); [apply pos | lra].
Qed.

Print Assumptions laplace_mean_is_private.
Print Assumptions laplace_mean_on_intervals.
Print Assumptions fair_coin_is_guessed_rarely.
Print Assumptions aligned_draws_are_private.
