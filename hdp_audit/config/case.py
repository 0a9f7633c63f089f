"""From a spec to the engine's case."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hdp_audit.audits.case import Case
from hdp_audit.config.spec import Catalogued, Spec
from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import Domain
from hdp_audit.model.drawn import Drawn, is_strategy
from hdp_audit.model.labels import Labels
from hdp_audit.model.leaving import NEIGHBOURS
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.subject import Source
from hdp_audit.model.table import Table
from hdp_audit.model.vector import Vector
from hdp_audit.targets.calls import Surroundings
from hdp_audit.targets.command import Command
from hdp_audit.targets.definitions import line_of
from hdp_audit.targets.failures import words_of
from hdp_audit.targets.program import OpenedProgram
from hdp_audit.targets.python import CustomPairs, OpenedFeatures, OpenedTarget, Target
from hdp_audit.targets.session import OpenedSession
from hdp_audit.targets.silence import silenced
from hdp_audit.targets.sources import Sources


def case_of(spec: Spec) -> Case:
    """The case; making it calls nothing."""
    mechanism, domain = spec.mechanism, _domain(spec)
    source, opened = _opened(spec)
    return Case.of(
        name=mechanism.name,
        opened=opened,
        demands=spec.demands,
        task=named_task(mechanism.task, mechanism.categories, domain),
        source=source,
        file=mechanism.how.path if isinstance(mechanism.how, Target) else None,
        line=_line(mechanism.how),
        privacy=spec.privacy,
        accuracy=spec.accuracy,
        optimality=spec.optimality,
        data=spec.data,
        pairs=None if mechanism.pairs is None else CustomPairs(mechanism.pairs),
        session=mechanism.session is not None,
        inert=mechanism.inert,
        one_demand=mechanism.one_demand,
        promise=spec.promise,
        neighbours=NEIGHBOURS[mechanism.neighbours](),
        domain=domain,
        features=None if mechanism.features is None else OpenedFeatures(mechanism.features),
        form="records" if source == "program" and isinstance(domain, Table) else spec.form,
    )


def _domain(spec: Spec) -> Domain | None:
    """That of the spec; a strategy is asked for its draws."""
    if spec.strategy is None:
        return spec.domain
    with silenced():
        return Drawn.of(Surroundings().run(_strategy, spec.strategy))


def _strategy(target: Target) -> Any:
    """That of the address, or what a function there makes."""
    found = target.load()
    if is_strategy(found) or not callable(found):
        return found
    try:
        return found()
    except Exception as why:
        raise InvalidInput(f"{target.text}: {words_of(why)}; give a strategy, or what makes one") from None


def sources_of(spec: Spec) -> Sources:
    """What is called, as files."""
    mechanism = spec.mechanism
    parts = (mechanism.how, mechanism.session, mechanism.pairs, mechanism.features, spec.strategy)
    targets = [part for part in parts if isinstance(part, Target)]
    command = mechanism.how if isinstance(mechanism.how, Command) else None
    return Sources(spec.path.absolute().parent, tuple(targets), command)


def _line(how: Target | Command | Catalogued) -> int | None:
    """Where a function begins in the file that a spec names."""
    if not isinstance(how, Target) or how.file is None:
        return None
    return line_of(how.file, how.attribute.partition(".")[0])


def _dimensions(spec: Spec) -> int | None:
    """Of vectors."""
    return spec.domain.size if isinstance(spec.domain, Vector) else None


def _labels(spec: Spec) -> int:
    return len(spec.domain) if isinstance(spec.domain, Labels) else 1


def _opened(spec: Spec) -> tuple[Source, Callable[[], Any]]:
    mechanism = spec.mechanism
    match mechanism.how:
        case Target():
            if mechanism.session is not None:
                limits = mechanism.timeout, mechanism.memory
                return "python", OpenedSession(mechanism.how, mechanism.session, spec.promise, *limits)
            return "python", OpenedTarget(
                mechanism.how, mechanism.timeout, mechanism.fresh, mechanism.output, mechanism.memory
            )
        case Command():
            promise = None if mechanism.task == "custom" or spec.domain is not None else spec.promise
            width = 1000 if mechanism.task == "custom" else mechanism.categories or _dimensions(spec) or _labels(spec)
            return "program", OpenedProgram(mechanism.how, promise, width, tuple(spec.promise.columns))
        case Catalogued():
            from hdp_audit.targets.reference import Audited

            secret = spec.privacy is not None and spec.privacy.demands == "secret"
            follows = secret or mechanism.neighbours != "replace"
            options = built_of(spec, mechanism.how.name)
            return "reference", partial(Audited, promised=dict(spec.promise.columns), follows=follows, **options)


def built_of(spec: Spec, name: str) -> dict[str, Any]:
    """How a reference mechanism is built, beside its demands."""
    beta = spec.accuracy.beta if spec.accuracy is not None else 0.05
    task, categories = spec.mechanism.task, spec.mechanism.categories
    return {"name": name, "task": task, "categories": categories, "dimensions": _dimensions(spec), "beta": beta}
