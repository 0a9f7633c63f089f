"""What a finding rests on, in plain words: its counterexample and its other facts, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.numbers import short

if TYPE_CHECKING:
    from hdp_audit.model.counterexample import Counterexample, Guesses
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.traced import Counted, TracedDraw, TracedLoss

MOST_LETTERS = 900  # of a list of users on a page or a terminal; report.json lists all
LONGEST = 1500  # letters of a line of evidence
MOST_DRAWS = 4  # that are told
LISTED = 200  # users that a finding carries, at most
DRAWN = ("wealth", "limit", "curve")  # facts for pictures
NAMES = {
    "above_bound": "draws above the bound",
    "allowed": "share that is allowed",
    "beta": "error probability β",
    "bound": "claimed bound",
    "bound_source": "where the bound comes from",
    "dataset": "worst dataset found",
    "delta_shown": "a promise with δ instead would need at least δ",
    "demands_together": "their demands together",
    "exact": "exact law",
    "factor": "measured ÷ lower bound",
    "guaranteed": "guaranteed error",
    "largest": "largest loss that these calls can show",
    "largest_refutable": "largest demand that these calls can refute",
    "least_risk": "least risk that is allowed",
    "lower_method": "method of the lower bound",
    "moved": "number of moved users",
    "proved": "shown at least",
    "rarest_refutable": "rarest certain leak refuted (80% power)",
    "right": "correct answers",
    "rivals": "alternative datasets",
    "slack": "bound ÷ measured",
    "trials": "draws",
    "trials_needed": "draws needed",
    "truth_needs": "draws needed to refute exact answers",
}


def fact_name(key: str) -> str:
    """A fact's name as a person reads it."""
    return NAMES.get(key, str(key).replace("_", " "))


def facts_told(finding: Finding, hidden: Iterable[str] = DRAWN) -> dict[str, Any]:
    """The facts beside the counterexample, by plain names."""
    known = {key: value for key, value in finding.facts.items() if key not in hidden}
    if finding.verdict == "fail":  # something was found: what else would have been is beside the point
        known.pop("rarest_refutable", None)
    if isinstance(rarest := known.get("rarest_refutable"), float):
        known["rarest_refutable"] = rarest_words(rarest)
    return {fact_name(key): value for key, value in known.items()}


def rarest_words(probability: float) -> str:
    """`one call of 120`: how often a leak must happen, from a probability per call."""
    if not 1e-15 < probability <= 0.5:
        return "none that happens only in some calls"
    return f"one call of {int(1.0 / probability):,}"


def refutation_lines(finding: Finding) -> list[tuple[str, str]]:
    """The counterexample of a claim that was refuted, by calls or by draws; nothing for any other finding."""
    if finding.traced is not None and finding.verdict != "pass":
        return [*others_told(finding), *traced_lines(finding.traced)]
    found = finding.counterexample if finding.verdict == "fail" else None
    return [] if found is None else counterexample_lines(found)


def traced_lines(found: TracedLoss) -> list[tuple[str, str]]:
    """The draws, how far noise has to move, and an event with both of its probabilities."""
    lines = [("datasets", f"{found.base}; user {found.user} {found.first}, or {found.second}")]
    lines += [("draw", draw_words(draw)) for draw in found.draws[:MOST_DRAWS]]
    lines += [("what the data change", found.flow)] if found.flow else []
    if found.event:
        first, second = found.probabilities or (float("nan"), float("nan"))
        lines.append(("event", f"{found.event}: probability {first:.6g} on the first, {second:.6g} on the second"))
    lines += [("by hand", found.arithmetic)] if found.arithmetic else []
    if found.counted is not None:
        lines.append(("with real noise", counted_words(found.counted)))
    return lines


def counted_words(found: Counted) -> str:
    """How often the event came, and what that says."""
    one, two = found.calls
    came = (
        f"it came {found.first:,} times in {one:,} calls on the first, {found.second:,} times in {two:,} on the second"
    )
    if found.confirmed:
        return f"{came}: confirmed (bets do as well by chance with probability at most {short(found.chance)})"
    return f"{came}: {'agrees, too few to refute the promise alone' if found.agrees else 'does not agree'}"


def draw_words(draw: TracedDraw) -> str:
    """The law, the scale, the line, and the move of standard noise that undoes the change of the data."""
    scale = f" of scale {draw.scale}" if draw.scale else ""
    moved = f", moved by {', '.join(f'{each:.6g}' for each in draw.moved)} scales" if draw.moved else ""
    return f"{draw.law}{scale} at {draw.file}:{draw.line}{moved}"


def counterexample_lines(found: Counterexample) -> list[tuple[str, str]]:
    """Names and words of all that a person needs to check it by hand."""
    lines = [
        ("base", found.base),
        (moved_title(found), moved_words(found)),
        ("first", found.first),
        ("second", found.second),
        ("event", found.event),
        ("right guesses", f"{_share(found.guesses)}, where {allowing(found)} {_allowed(found)}"),
        *repeated_lines(found),
    ]
    return [(name, words) for name, words in lines if words]


def repeated_lines(found: Counterexample) -> list[tuple[str, str]]:
    """What the moved users may lose together, and the guesses on new samples."""
    lines = [("their demands together", short(found.claimed))] if len(found.users) > 1 else []
    if found.confirmation is not None:
        state = "confirmed" if found.confirmed else "not confirmed"
        lines.append(("on new samples", f"{_share(found.confirmation)}: {state}"))
    if found.measurement is not None:
        lines.append(("on further samples, for the size of the loss", _share(found.measurement)))
    return lines


def allowing(found: Counterexample) -> str:
    """Who allows so many right guesses: users who are moved together may lose the sum of what each may."""
    many = len(found.users)
    return "the promise allows" if many <= 1 else f"the promises to these {many:,} users together allow"


def _allowed(found: Counterexample) -> str:
    if found.allowed_right is None:
        return f"{found.allowed:.2%}"
    return f"about {found.allowed_right:,.0f} with as many wrong"


def _share(guesses: Guesses) -> str:
    if guesses.calls is not None:
        return f"{guesses.right:,}, and {guesses.made - guesses.right:,} wrong ones, in {guesses.calls:,} calls"
    share = f" ({guesses.right / guesses.made:.2%})" if guesses.made else ""
    return f"{guesses.right:,} of {guesses.made:,}{share}"


def moved_title(found: Counterexample) -> str:
    """Those in whom the two datasets differ."""
    return "moved user" if len(found.users) == 1 else "moved users"


def moved_words(found: Counterexample) -> str:
    """`40 users: 3, 7 to 9, ...`: all of them, or where they are many how many."""
    return users_words(found.users, f"{len(found.users):,} users")


def others_told(finding: Finding) -> list[tuple[str, str]]:
    """The finding's users under their own name, where they are not simply those who were moved."""
    found, many = finding.counterexample, len(finding.users)
    if not many or (found is not None and found.users[:many] == finding.users):
        return []
    words = users_words(finding.users, f"the first {many:,}" if many >= LISTED else f"{many:,} users")
    return [("users" if found is None else "users of this tier", words)]


def users_words(users: Sequence[int], many: str) -> str:
    """`many: 3, 7 to 9`; one user by itself; nobody by name where the list would be long."""
    listed = ", ".join(runs(users))
    if len(users) == 1:
        return listed
    return f"{many}: {listed}" if len(listed) <= MOST_LETTERS else f"{many}; report.json lists them"


def runs(users: Sequence[int]) -> list[str]:
    """`0 to 99`, `105`: runs of neighbours, in rising order."""
    ends: list[list[int]] = []
    for user in sorted(set(users)):
        if ends and user == ends[-1][1] + 1:
            ends[-1][1] = user
        else:
            ends.append([user, user])
    return [str(low) if low == high else f"{low} to {high}" for low, high in ends]
