"""Which number is claimed: the user's own, the theorem for a reference mechanism's weights, or a catalog name's."""

from __future__ import annotations

from hdp_audit.errors import InvalidInput
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.targets.reference import RefusedByMechanism, build, entry, error_law, laws
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import ErrorLaw, white_box
from hdp_audit.theory import guarantee_noise as noises
from hdp_audit.theory.guarantee import Estimator, Gaussian, guarantee
from hdp_audit.theory.names import Metric, Norm, Problem, Setting, Task


def problem_of(subject: Subject, setting: str, metric: str, beta: float, norm: str = "linf") -> Problem:
    """The cell that a claim is about."""
    task, categories = Task(subject.task.name), subject.task.categories or Problem.categories
    return Problem(task, Setting(setting), Metric(metric), categories, beta, Norm(norm))


def estimator_of(subject: Subject) -> Estimator | None:
    """Weights and noise of a mechanism that knows them; None for a black box."""
    known = white_box(subject.mechanism)
    law = None if known is None else known.error_law
    return None if law is None else estimator(law)


def estimator(law: ErrorLaw) -> Estimator:
    """An error law as the theory sees it."""
    return Estimator(law.weights, _noise(law.noise), law.share, law.reach)


def _noise(noise: object) -> noises.Noise:
    """The theory's own account of a noise; one that it does not know has to bound itself."""
    match noise:
        case laws.Laplace():
            return noises.Laplace(noise.scale)
        case laws.Gaussian():
            return Gaussian(noise.scale)
        case laws.Hull():
            return noises.Hull(noise.scale, noise.outputs)
        case laws.Sampled():
            return noises.Sampled(noise.chances, noise.scale)
        case laws.NoisyMessages():
            return noises.NoisyMessages(noise.weights, noise.losses)
        case laws.FlippedBits():
            return noises.FlippedBits(noise.weights, noise.losses)
        case noises.Noise():
            return noise
    raise InvalidInput(f"no bound is known for noise of type {type(noise).__name__}; give it `quantile` and `square`")


def claimed_bound(subject: Subject, claim: AccuracyClaim) -> tuple[float, str]:
    """(the bound, where it comes from in words)."""
    if not isinstance(claim.bound, str):
        return float(claim.bound), "the claim's own number"
    problem = problem_of(subject, claim.setting, claim.metric, claim.beta, claim.norm)
    if claim.bound == "explicit":
        own = estimator_of(subject)
        if own is None:
            raise InvalidInput(
                f'{subject.name}: bound = "explicit" needs the weights of a reference mechanism; '
                "give a number, or a catalog name whose theorem is claimed, such as "
                f'"{"uni" if subject.task.categories is None else "hpf-cp"}"'
            )
        return guarantee(own, problem), "theorem for the mechanism's own weights"
    try:
        known = build(
            claim.bound,
            epsilon=subject.epsilon,
            task=problem.task.value,
            categories=subject.task.categories,
            beta=claim.beta,
            setting=claim.setting,
            metric=claim.metric,
            norm=claim.norm if entry(claim.bound).any_norm else "linf",
        )
    except RefusedByMechanism as why:
        raise InvalidInput(f'{subject.name}: bound = "{claim.bound}": {why}') from None
    return guarantee(estimator(error_law(known)), problem), f"theorem of {claim.bound} for these demands"
