"""Small specs and mechanisms for tests of the commands."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from hdp_audit.cli import main

GOOD = """
import numpy as np

def private_mean(data, epsilon, rng):
    return float(batch(data, epsilon, rng, 1)[0])

def batch(data, epsilon, rng, size):
    spent = np.minimum(epsilon, 0.5)
    return (spent @ data + rng.laplace(scale=1.0, size=size)) / spent.sum()

private_mean.batch = batch

def no_noise(data, epsilon, rng):
    return float(data.mean())
"""

REFERENCE = """
[mechanism]
reference = "hpm-cp"

[demands]
values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]

[privacy]
detect = 5

[run]
budget = 4000
"""

TARGET = """
[mechanism]
target = "release.py:{name}"
task = "mean"

[demands]
values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]

[privacy]
detect = 5
floating_point = "off"

[run]
budget = 4000
"""


def written(folder: Path, text: str, name: str = "hdp-audit.toml") -> Path:
    """A spec in a folder, with release.py beside it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (folder / "release.py").write_text(GOOD, encoding="utf-8")
    return path


def invoke(*arguments: object) -> Result:
    """The program in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
