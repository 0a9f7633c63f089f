"""`--fast`: a selection of all tests by what they cost; `--rest`: all others; `--costs FILE`: what they cost, measured.

Each test may spend `ALLOWANCE` seconds of a processor: as many of its cases as fit, spread over all of them, and one at
least unless that alone takes more than `CASE`. `slow.txt` holds what cheaper selections have to know: the tests that
take more in all, by name, so that a test can move to another file. A test that is not listed is run.

    pytest --costs costs.jsonl && python -m tests.slow costs.jsonl
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.amount import FULL
from tests.processors import spent
from tests.slow import kept, listed

TRACED = 3  # cases of a test that count for coverage: others run the same lines, at half of the speed
SHARED = [0.0]  # seconds that went into what tests share, so far


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hdp-audit's own tests")
    group.addoption("--fast", action="store_true", help="only as many cases of each test as it takes little to run")
    group.addoption("--rest", action="store_true", help="all that --fast leaves out")
    group.addoption("--full", action="store_true", help="also what only repeats at a larger size what others show")
    group.addoption("--costs", type=Path, metavar="FILE", help="append each test's seconds of a processor to FILE")


def pytest_configure(config: pytest.Config) -> None:
    FULL[0] = bool(config.getoption("full"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what `slow.txt` says is slow, where --fast is given, and nothing else, where --rest is.

    Without either, what is not slow comes first: most mistakes show within a minute.
    """
    if not config.getoption("full"):
        _leave(config, items, [item for item in items if item.get_closest_marker("full")])
        _leave(config, items, thinned(items))
    fast, rest = config.getoption("fast"), config.getoption("rest")
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[name_of(item)].append(item)
    costs = listed()
    chosen = [kept(found, cost(found[0], costs)) for found in cases.values()]
    quick = {item for found in chosen for item in found}
    if fast == rest:
        items.sort(key=lambda item: item not in quick)
        return
    _leave(config, items, set(items) - quick if fast else quick)
    if config.pluginmanager.hasplugin("_cov"):
        for found in chosen:
            for item in found[TRACED:]:
                item.add_marker("no_cover")


def thinned(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of a test marked `many(n)` all cases but each n-th.

    A case of several lists has the sum of its places in them: so each n-th still meets every entry of every list.
    """
    places: dict[object, dict[object, int]] = defaultdict(dict)
    out = set()
    for item in items:
        marker = item.get_closest_marker("many")
        if marker is not None:
            found = [places[name_of(item), names] for names in lists_of(item)]
            parts = [tuple(id(item.callspec.params[name]) for name in names) for names in lists_of(item)]
            place = sum(seen.setdefault(part, len(seen)) for seen, part in zip(found, parts, strict=True))
            if place % marker.args[0]:
                out.add(item)
    return out


def lists_of(item: pytest.Item) -> list[tuple[str, ...]]:
    """The names that each list of cases gives values to."""
    given = [marker.args[0] for marker in item.iter_markers("parametrize")]
    lists = [tuple(map(str.strip, names.split(","))) if isinstance(names, str) else tuple(names) for names in given]
    return lists + [(name,) for name in item.callspec.params if not any(name in names for names in lists)]


def _leave(config: pytest.Config, items: list[pytest.Item], out: Collection[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item in out])
    items[:] = [item for item in items if item not in out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Measures a test, without what it shares with others."""
    file = item.config.getoption("costs")
    if file is None:
        return (yield)
    before, shared = spent(), SHARED[0]
    try:
        return (yield)
    finally:
        record(file, name_of(item), spent() - before - (SHARED[0] - shared))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[object]:
    """Measures what several tests share under its own name: whoever comes first would seem slow."""
    file = request.config.getoption("costs")
    if file is None or fixturedef.scope == "function":
        return (yield)
    before = spent()
    try:
        return (yield)
    finally:
        SHARED[0] += spent() - before
        record(file, fixturedef.argname, spent() - before)


def cost(item: pytest.Item, costs: dict[str, float]) -> float:
    """Seconds of a case: its own, or those of the dearest thing it needs."""
    return max(costs.get(name, 0.0) for name in (name_of(item), *getattr(item, "fixturenames", ())))


def record(file: Path, name: str, seconds: float) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps([name, seconds]) + "\n")


def name_of(item: pytest.Item) -> str:
    """`test_what_it_claims`, the same for all of its cases."""
    return getattr(item, "originalname", None) or item.name.partition("[")[0]
