"""hdp-audit bounds: what demands allow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.cli.writing import echo_text, stdout_console, write_text
from hdp_audit.errors import HdpAuditError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hdp_audit.model import PrivacyDemands
    from hdp_audit.theory.cells import Cell
    from hdp_audit.theory.population import Population

    Floats = NDArray[np.float64]


@click.command(short_help="What demands allow: guaranteed, and unbeatable.")
@click.option("--epsilon", "file", type=click.Path(path_type=Path), help="Demands: .csv, .npy or .parquet.")
@click.option("--rho", type=click.Path(path_type=Path), help="Demands of zCDP instead, kept by Gaussian noise.")
@click.option(
    "--delta", help="Demands (ε, δ), kept by Gaussian noise: one δ for all, or the column of --epsilon's file."
)
@click.option("--column", help="The column of a .csv or .parquet file.  [default: epsilon, or rho]")
@click.option("--standard", help="Standard demands by name instead of a file, such as tiers.")
@click.option("--categories", type=int, default=10, show_default=True, help="Categories of the frequencies.")
@click.option(
    "--dimensions", type=int, help="Instead: means of vectors of this size, in the unit ball (ρ, or ε and δ)."
)
@click.option("--beta", type=float, default=0.05, show_default=True, help="Error probability of the PAC bounds.")
@click.option(
    "--norm",
    type=click.Choice(["linf", "l2", "l1"]),
    default="linf",
    show_default=True,
    help="What the error of frequencies is: the largest entry, the length, or the sum of all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", type=click.Path(path_type=Path), help="Write error against level to this SVG file.")
def bounds(
    file: Path | None,
    rho: Path | None,
    delta: str | None,
    column: str | None,
    standard: str | None,
    categories: int,
    dimensions: int | None,
    beta: float,
    norm: str,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Say how well these demands allow to estimate: what is guaranteed, and what nobody can beat.

    All eight cells: frequencies and means, correlated and weakly correlated data, error quantile (PAC) and mean
    squared error. Of vectors there are four, and errors are lengths. Demands ε have a ninth row: the mean of a
    population that users are drawn from.
    """
    from hdp_audit.reporting import bounds as render

    if dimensions is not None and rho is None and delta is None:
        raise HdpAuditError("--dimensions goes with --rho, or with --delta: vectors get Gaussian noise")
    if plot is not None and (rho is not None or delta is not None):
        raise HdpAuditError("--plot draws demands of pure privacy; leave it out with --rho and --delta")
    if norm != "linf" and (rho is not None or delta is not None):
        raise HdpAuditError(f"--norm {norm} is for demands of pure privacy; leave it out with --rho and --delta")
    demands = _demands(file, rho, column, standard)
    leaked = _leaked(delta, file, rho, len(demands))
    if dimensions is None:
        found = _cells(demands, categories, beta, norm, gaussian=rho is not None, leaked=leaked)
    else:
        found = _vectors(demands, dimensions, beta, leaked)
    population = None if rho is not None or leaked is not None else _population(demands)
    if plot is not None:
        _write_plot(plot, demands, found)
    if as_json:
        kind = "zcdp" if rho is not None else "approximate" if delta is not None else None
        promise = {} if kind is None else {"promise": kind}
        document = promise | render.as_json(demands, found, categories, beta, population)
        click.echo(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        echo_text(render.bounds_text(demands, found, categories, beta, stdout_console(), population))


def _cells(
    demands: PrivacyDemands, categories: int, beta: float, norm: str, *, gaussian: bool, leaked: Floats | None
) -> list[Cell]:
    from hdp_audit.theory.cells import cells
    from hdp_audit.theory.gaussian_cells import gaussian_cells
    from hdp_audit.theory.names import Norm

    if leaked is None:
        if gaussian:
            return gaussian_cells(demands.values, categories=categories, beta=beta)
        return cells(demands.values, categories, beta, Norm(norm))
    from hdp_audit.targets.reference import concentrated
    from hdp_audit.theory.approximate_cells import approximate_cells

    return approximate_cells(demands.values, leaked, concentrated(demands.values, leaked), categories, beta)


def _population(demands: PrivacyDemands) -> Population:
    from hdp_audit.theory.population import population_mean

    return population_mean(demands.values)


def _vectors(demands: PrivacyDemands, dimensions: int, beta: float, leaked: Floats | None) -> list[Cell]:
    from functools import partial

    from hdp_audit.targets.reference import vector_means
    from hdp_audit.theory.approximate_cells import impossible_approximate
    from hdp_audit.theory.ball_cells import BallMechanism, ball_cells
    from hdp_audit.theory.gaussian_cells import impossible

    if leaked is None:
        columns, least = {"rho": demands.values}, partial(impossible, demands.values)
    else:
        columns = {"epsilon": demands.values, "delta": leaked}
        least = partial(impossible_approximate, demands.values, leaked)
    built = vector_means(columns, dimensions, beta)
    known = [BallMechanism(each.name, each.level or 0.0, each.weights, each.noise_scale) for each in built]
    return ball_cells(known, least, dimensions, beta)


def _leaked(delta: str | None, file: Path | None, rho: Path | None, users: int) -> Floats | None:
    """One δ for each user; a text that is no number names a column."""
    import numpy as np

    from hdp_audit.model import PrivacyDemands

    if delta is None:
        return None
    if rho is not None:
        raise HdpAuditError("--delta goes with demands ε; zCDP (--rho) has no δ: leave one of them out")
    try:
        return np.full(users, float(delta))
    except ValueError:
        pass
    if file is None or file.suffix.lower() == ".npy":
        raise HdpAuditError(f"--delta {delta}: give a number from 0 to 1; only a .csv or .parquet file has columns")
    return PrivacyDemands.from_file(file, column=delta).values


def _demands(file: Path | None, rho: Path | None, column: str | None, standard: str | None) -> PrivacyDemands:
    from hdp_audit.model import PrivacyDemands

    if sum(given is not None for given in (file, rho, standard)) != 1:
        raise HdpAuditError("give demands either as --epsilon FILE, as --rho FILE or as --standard NAME")
    if rho is not None:
        return PrivacyDemands.from_file(rho, column=column or "rho")
    if file is not None:
        return PrivacyDemands.from_file(file, column=column or "epsilon")
    from hdp_audit.targets.reference import standard_demands

    return standard_demands(str(standard))


def _write_plot(path: Path, demands: PrivacyDemands, found: list[Cell]) -> None:
    from hdp_audit.reporting.levels import levels_svg
    from hdp_audit.theory.sweep import sweep

    title = f"Guaranteed error against saturation level, {len(demands)} users"
    write_text(path, levels_svg(found, [sweep(demands.values, cell.problem) for cell in found], title))
