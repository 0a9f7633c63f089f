"""Two reports of the same mechanisms: which figures became significantly worse, not merely different."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.model.finding import accusing
from hdp_audit.reporting.evidence import rarest_words
from hdp_audit.reporting.numbers import printable, short

RANK = {"pass": 0, "inconclusive": 1, "error": 2, "fail": 3}
Figures = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """Sentences: what became worse, what became better, and what is worth knowing but decides nothing."""

    regressions: tuple[str, ...]
    improvements: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it, a line each."""
        lines = [f"worse: {line}" for line in self.regressions]
        lines += [f"better: {line}" for line in self.improvements]
        lines += [f"note: {line}" for line in self.notes]
        many = len(self.regressions)
        verdict = f"{many} regression{'' if many == 1 else 's'}" if many else "no regression"
        return "\n".join(printable(line) for line in [*lines, f"{verdict}, {len(self.improvements)} improved"])


def compare(old: Figures, new: Figures, *, today: dt.date | None = None) -> Comparison:
    """What became worse, better, or is worth a note between two reports of the same mechanisms.

    Args:
        old: A report as `read_report` gives it.
        new: Another, of the same mechanisms and demands; else `InvalidInput` says what differs.
        today: The day on which waivers must hold; today by default.

    Returns:
        Sentences: `regressions`, `improvements`, `notes`.

    Example:
        >>> import json
        >>> from hdp_audit import audit, compare
        >>> report = audit(lambda data, epsilon, rng: 0.5, epsilon=[1.0] * 5, task="mean", budget=2500, inert="allow")
        >>> compare(report.to_json(), report.to_json()).regressions
        ()
    """
    _refuse_unlike(old, new)
    found: dict[str, list[str]] = {"worse": [], "better": [], "note": []}
    if new["confidence"] < old["confidence"]:
        found["worse"].append(f"confidence was lowered from {old['confidence']:g} to {new['confidence']:g}")
    before = {finding["id"]: finding for finding in old["findings"]}
    after = {finding["id"]: finding for finding in new["findings"]}
    for name, finding in before.items():
        if name in after:
            changes = _changes(finding, after[name], today or dt.date.today())
        else:
            changes = iter([_vanished(finding)])
        for side, words in changes:
            found[side].append(f"{name}: {words}")
    for name in after.keys() - before.keys():
        for side, words in _appeared(after[name], today or dt.date.today()):
            found[side].append(f"{name}: {words}")
    return Comparison(*(tuple(sorted(found[side])) for side in ("worse", "better", "note")))


def _refuse_unlike(old: Figures, new: Figures) -> None:
    for report, which in ((old, "old"), (new, "new")):
        _refuse_twins(report, which)
    before = {subject["name"]: subject for subject in old["subjects"]}
    after = {subject["name"]: subject for subject in new["subjects"]}
    wrong = [f"{name!r} is in the old report alone" for name in before.keys() - after.keys()]
    wrong += [f"{name!r} is in the new report alone" for name in after.keys() - before.keys()]
    for name in before.keys() & after.keys():
        for key in ("demands", "task", "categories"):
            was, is_now = before[name].get(key), after[name].get(key)
            if was != is_now:
                wrong.append(f"{name!r}: {key} were {was} and are {is_now}")
        wrong += _other_promise(before[name], after[name])
    if wrong:
        raise InvalidInput(
            "the reports are about different things:\n"
            + "\n".join(printable(f"  {line}") for line in sorted(wrong)[:20])
            + "\nrun the old audit again with the new spec, and compare with that"
        )


def _other_promise(was: Figures, is_now: Figures) -> list[str]:
    """A spec that promises less passes more easily: that is no news of the mechanism. Older reports lack some keys."""
    both = [key for key in ("promise", "neighbours", "reach") if key in was and key in is_now]
    name = repr(was["name"])
    return [f"{name}: {key} was {was[key]} and is {is_now[key]}" for key in both if was[key] != is_now[key]]


def _refuse_twins(report: Figures, which: str) -> None:
    """Of two findings under one id one would be compared and the other lost; so with subjects."""
    for key, name in (("subjects", "name"), ("findings", "id")):
        counts = Counter(entry[name] for entry in report[key])
        twins = [printable(repr(twin)) for twin, count in counts.items() if count > 1]
        if twins:
            raise InvalidInput(f"the {which} report has {', '.join(twins[:5])} more than once among its {key}")


def _vanished(finding: Figures) -> tuple[str, str]:
    """An accusation that is gone is good news; a claim that is no longer audited is not."""
    if accusing(finding["kind"], finding["scope"], finding["verdict"]):
        return "better", f"{finding['verdict']} before, no longer found"
    return "worse", f"{finding['verdict']} before, no longer audited"


def _appeared(finding: Figures, today: dt.date) -> Iterator[tuple[str, str]]:
    if finding["verdict"] in ("fail", "error"):
        side = "note" if _waived(finding, today) else "worse"
        yield side, f"new, {finding['verdict']}: {finding.get('message', '')}"
    elif finding["verdict"] == "inconclusive":
        yield "note", "new, inconclusive"


def _changes(old: Figures, new: Figures, today: dt.date) -> Iterator[tuple[str, str]]:
    before, after = old["verdict"], new["verdict"]
    if old["examined"] and not new["examined"]:
        yield "worse", "examined before, and now too large for the calls: increase the budget"
    if RANK[after] > RANK[before]:
        side = "note" if _waived(new, today) else "worse"
        yield side, f"{before} before, {after} now: {new.get('message', '')}"
    elif RANK[after] < RANK[before]:
        yield _less_asked(old, new) or ("better", f"{before} before, {after} now")
    else:
        yield from _same_verdict(old, new)


def _less_asked(old: Figures, new: Figures) -> tuple[str, str] | None:
    """A refuted claim that passes because the spec asks for a warning only is no good news."""
    if new["verdict"] != "pass" or new["kind"] in ("accuracy", "optimality") or _kept(new):
        return None
    return "worse", f"{old['verdict']} before; refuted now as well, but the spec asks for a warning only"


def _same_verdict(old: Figures, new: Figures) -> Iterator[tuple[str, str]]:
    if new["kind"] in ("accuracy", "optimality"):
        yield from _errors(old, new)
    elif _excess(old, new):
        yield "worse", f"the loss is at least {short(_end(new, 'lower'))}, above {short(_most(old))} of before"
    elif _excess(new, old):
        yield "better", f"the loss was at least {short(_end(old, 'lower'))}, now at most {short(_most(new))}"
    yield from _power(old, new)


def _power(old: Figures, new: Figures) -> Iterator[tuple[str, str]]:
    """A pass that is worth less than it was."""
    least, rare = ([_number(finding.get("detectable")) for finding in (old, new)], [_rarest(old), _rarest(new)])
    if _grew(*least):
        was, is_now = (short(value or 0.0) for value in least)
        yield "note", f"smallest violation detected with 80% power: {was} before, {is_now} now"
    if _grew(*rare):
        was, is_now = (rarest_words(value or 0.0) for value in rare)
        yield "note", f"rarest leak refuted with 80% power: {was} before, {is_now} now"


def _grew(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and after > 1.05 * before


def _errors(old: Figures, new: Figures) -> Iterator[tuple[str, str]]:
    """Intervals that no longer overlap, and a promise that was itself made weaker."""
    if _end(new, "lower") > max(_end(old, "upper"), _end(old, "lower")):
        yield "worse", f"the error is at least {short(_end(new, 'lower'))}, was at most {short(_end(old, 'upper'))}"
    elif _end(new, "upper") < min(_end(old, "lower"), _end(old, "upper")):
        yield "better", f"the error is at most {short(_end(new, 'upper'))}, was at least {short(_end(old, 'lower'))}"
    was, is_now = _number(old.get("claimed")), _number(new.get("claimed"))
    if new["kind"] == "accuracy" and was is not None and is_now is not None and is_now > was * (1 + 1e-9):
        yield "worse", f"the claimed bound rose from {short(was)} to {short(is_now)}"


def _excess(old: Figures, new: Figures) -> bool:
    return _end(new, "lower") > max(_most(old), _end(old, "lower"))


def _most(finding: Figures) -> float:
    """What the loss is at most: an upper bound, or for a pass the smallest violation detected.

    A leak of which the spec only warns is a pass that proved more than was promised: there nothing bounds the loss.
    """
    seen = _number(finding.get("detectable")) if finding["verdict"] == "pass" and _kept(finding) else None
    return min(_end(finding, "upper"), math.inf if seen is None else seen)


def _kept(finding: Figures) -> bool:
    """Whether no more was shown than was promised."""
    claimed = _number(finding.get("claimed"))
    return claimed is None or _end(finding, "lower") <= claimed


def _end(finding: Figures, key: str) -> float:
    """An end of the interval; where there is none, the end that proves nothing."""
    value = _number((finding.get(key) or {}).get("value"))
    return value if value is not None else (math.inf if key == "upper" else -math.inf)


def _rarest(finding: Figures) -> float | None:
    witness = finding.get("witness")
    return _number(witness.get("rarest_refutable")) if isinstance(witness, dict) else None


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return {"inf": math.inf, "-inf": -math.inf}.get(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _waived(finding: Figures, today: dt.date) -> bool:
    until = (finding.get("waiver") or {}).get("until")
    try:
        return until is not None and today <= dt.date.fromisoformat(until)
    except (TypeError, ValueError):
        return False
