"""hdp-audit init: a commented spec that runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hdp_audit.cli.writing import write_text
from hdp_audit.errors import HdpAuditError

SPEC = "hdp-audit.toml"
TASK, DEMANDS = 'task = "mean"', 'standard = "tiers"                  # 1000 users of five kinds'
TEMPLATE = """# What is audited and claimed. Run it with: hdp-audit run {name}

[mechanism]
target = {target}   # "path/file.py:attribute" or "package.module:attribute"; fn(data, epsilon, rng)
# reference = "hpm-cp"              # instead: a mechanism of the catalog (hdp-audit list)
# command = ["./release", "--flag"] # instead: any program that speaks JSON lines
{task}
# tasks: "mean", "sum", "count" (data are 0 or 1), "frequency" with categories = 12, "vector-mean", or "custom" with
# pairs = "file.py:pairs"; a method is "file.py:Class.method"
neighbours = "replace"              # one user's datum is replaced by another; or "remove", or "zero-out"
timeout = "30s"                     # a call
inert = "report"                    # of a mechanism that no user's datum moves; or "allow" it
# one_demand = true                 # of a function whose epsilon is one number for all: it gets the smallest demand

[demands]                           # each user's epsilon: 0 (never use my datum) to inf (public)
{demands}
# file = "demands.csv"              # instead: a column `epsilon` (or column = "..."); .npy and .parquet work too
# values = [0.1, 0.1, 1, "inf"]     # instead: the numbers themselves
# promise = "zcdp"                  # what the numbers are: "pure" epsilon, "approximate" with delta, "gaussian" mu
# distribution = "log-uniform"      # instead: drawn; low = -5, high = 5 (natural logarithms), users = 10000, seed = 1

# [domain]                          # optional: what a datum is, where it is no number from 0 to 1 (or no category)
# range = [0, 200_000]              # or labels = ["Berlin", "Paris"] in the place of categories,
# columns = {{ age = {{ range = [0, 99] }} }}  # or the columns of a table

# [data]                            # optional: real data as a further dataset to attack; never printed in a report
# file = "salaries.csv"

[privacy]                           # every user's loss is at most their demand
detect = 2.0                        # a demand tier off by this factor would have been seen, else inconclusive
detect_single = "report"            # one user alone: "report", or a factor that makes it binding
beyond = "report"                   # demands above what the budget can certify: "report" or "inconclusive"
demands = "public"                  # or "secret": test whether outputs tell them
floating_point = "warn"             # a leak through the bits of doubles: "fail", "warn" or "off"

# [accuracy]                        # optional: the error is at most `bound`
# setting = "correlated"            # or "weakly-correlated"
# metric = "pac"                    # the error is exceeded with probability at most beta; or "mse"
# beta = 0.05
# bound = 0.2                       # a number, or a catalog name whose theorem is claimed
# tolerance = 1.05

# [optimality]                      # optional: nobody beats the lower bound
# setting = "correlated"            # or "weakly-correlated": data permuted by lot

[run]
confidence = 0.999                  # over everything in the report
budget = 200_000                    # calls of the mechanism, or a duration such as "5m"
seed = 1

# [[waive]]                         # a failure that is known and accepted for a while
# finding = "private_mean/privacy/tier/0.5"
# reason = "fixed in the next release"
# until = 2027-03-31
"""
RELEASE = '''"""A private mean: everybody spends their demand, up to a level. Replace it by your own."""

import numpy as np

LEVEL = 0.5


def private_mean(data, epsilon, rng):
    """One output for `data` in [0, 1] under the users' demands `epsilon`."""
    spent = np.minimum(epsilon, LEVEL)
    return float(spent @ data / spent.sum() + rng.laplace(scale=1 / spent.sum()))


def _batch(data, epsilon, rng, size):
    spent = np.minimum(epsilon, LEVEL)
    return spent @ data / spent.sum() + rng.laplace(scale=1 / spent.sum(), size=size)


private_mean.batch = _batch  # optional: many independent outputs at once make the audit faster
'''


@click.command(short_help="Write a commented spec that runs.")
@click.argument("path", type=click.Path(path_type=Path), default=Path(SPEC))
@click.option("--from", "target", metavar="FILE:FUNCTION", help="For a function of yours, whose signature is read.")
def init(path: Path, target: str | None) -> None:
    """Write a commented spec to PATH (hdp-audit.toml), and an example mechanism beside it.

    With --from release.py:private_mean the spec is for that function: it is called once, to see whether it returns a
    number or several, and the names of its arguments say what was promised.
    """
    if target is None:
        release = path.parent / "release.py"
        _refuse_existing(path, release)
        told = {"target": f'"{release.name}:private_mean"', "task": TASK, "demands": DEMANDS}
        write_text(path, TEMPLATE.format(name=path.name, **told))
        write_text(release, RELEASE)
        click.echo(f"wrote {path} and {release}")
    else:
        from hdp_audit.runs.signature import read_signature

        _refuse_existing(path)
        found = read_signature(target, path.parent)
        told = {"target": json.dumps(found.target), "task": found.task, "demands": found.demands}
        write_text(path, TEMPLATE.format(name=path.name, **told))
        click.echo(f"wrote {path} for {found.words}")
        click.echo("a datum is a number from 0 to 1, or a category: where it is not, say what it is in [domain] there")
    click.echo(f"next: hdp-audit check {path}, then hdp-audit run {path}")


def _refuse_existing(*files: Path) -> None:
    for file in files:
        if file.exists():
            raise HdpAuditError(f"{file} is there already; remove it or give another path")
