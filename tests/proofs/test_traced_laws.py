"""Second opinions on moved noise: the ledger's formulas, what tracing charges, and densities on a grid agree."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import hdp_audit.proofs as proofs
from hdp_audit.tracing import laws

GRID = np.unique(np.concatenate([np.linspace(-40, 40, 160_001), np.geomspace(1e-9, 40, 2_000)]))
MOVES = (-3.0, -1.0, -0.25, -1e-3, 0.0, 1e-3, 0.25, 1.0, 3.0)
P = 0.3


def upwards(t: float) -> float:
    return t if t >= 0 else math.inf


def unless_zero(t: float) -> float:
    return 0.0 if t == 0 else math.inf


LEDGER: dict[str, tuple[laws.Law, stats.rv_continuous, Callable[[float], float]]] = {
    "laplace": (laws.LAPLACE, stats.laplace, abs),
    "logistic": (laws.LOGISTIC, stats.logistic, abs),
    "cauchy": (laws.CAUCHY, stats.cauchy, lambda t: 2 * math.asinh(abs(t) / 2)),
    "exponential": (laws.EXPONENTIAL, stats.expon, upwards),
    "gumbel": (laws.GUMBEL, stats.gumbel_r, upwards),
    "normal": (laws.NORMAL, stats.norm, unless_zero),
    "uniform": (laws.UNIFORM, stats.uniform(-0.5), unless_zero),
}


@pytest.mark.parametrize("name", LEDGER)
def test_tracing_charges_what_the_ledger_proves(name: str) -> None:
    law, _, proved = LEDGER[name]
    assert law.cost(np.array(MOVES)).tolist() == pytest.approx([proved(t) for t in MOVES], rel=1e-12)


@pytest.mark.parametrize("name", LEDGER)
def test_densities_on_a_grid_reach_what_is_charged_and_no_more(name: str) -> None:
    """Where nothing bounds the loss, the grid has more than 30 times the size of the move, or leaves the support."""
    law, density, _ = LEDGER[name]
    inside = GRID[density.pdf(GRID) > 0]
    for t in MOVES:
        largest = float(np.max(density.logpdf(inside) - density.logpdf(inside + t)))
        charged = float(law.cost(np.array([t]))[0])
        if math.isinf(charged):
            assert largest > 30 * abs(t)
        else:
            assert largest == pytest.approx(charged, rel=1e-6, abs=1e-12)


def test_geometric_draws_cost_the_ledgers_rate_for_each_whole_step_up() -> None:
    law, places = laws.geometric(P), np.arange(1, 60)
    for t in (0, 1, 2, 7):
        ratios = stats.geom.logpmf(places, P) - stats.geom.logpmf(places + t, P)
        assert float(law.cost(np.array([float(t)]))[0]) == pytest.approx(-t * math.log(1 - P))
        assert ratios == pytest.approx(np.full(places.size, -t * math.log(1 - P)))
    assert np.isinf(law.cost(np.array([-1.0, 0.5]))).all()


def test_the_proofs_do_not_look_at_what_tracing_does() -> None:
    """Two derivations that agree are evidence; one that reads the other is none."""
    for file in Path(proofs.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            assert not [name for name in names if "tracing" in name], file.name
