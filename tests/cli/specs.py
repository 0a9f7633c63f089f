"""Small specs and mechanisms for tests of the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from hdp_audit.cli import main
from hdp_audit.cli.exits import Program

GOOD = """
import numpy as np

def private_mean(data, epsilon, rng):
    return float(batch(data, epsilon, rng, 1)[0])

def batch(data, epsilon, rng, size):
    spent = np.minimum(epsilon, 0.5)
    return (spent @ data + rng.laplace(scale=1.0, size=size)) / spent.sum()

private_mean.batch = batch

def in_doubles(data, epsilon, rng):  # the low bits of noise around 0 are finer than those of noise around anything else
    return float(many_in_doubles(data, epsilon, rng, 1)[0])

def many_in_doubles(data, epsilon, rng, size):
    return epsilon @ data / epsilon.sum() + rng.laplace(scale=1 / epsilon.sum(), size=size)

in_doubles.batch = many_in_doubles

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

ODD = """
import numpy as np

def raises(data, epsilon, rng):
    raise ValueError("not today")

def shape(data, epsilon, rng):
    return [0.1, 0.2]

def nan(data, epsilon, rng):
    return float("nan")

def infinite(data, epsilon, rng):
    return float("inf")

def nothing(data, epsilon, rng):
    rng.laplace()

def hangs(data, epsilon, rng):
    while True:
        pass

def dies(data, epsilon, rng):
    import os
    os._exit(3)

def picks(data, epsilon, rng):
    if data.sum() == 0:
        raise ValueError("nobody is in")
    return rng.laplace()

def picky(data, epsilon, rng):
    assert data.ndim == 1 and data.dtype == np.float64 and 0 <= data.min() <= data.max() <= 1
    assert epsilon.shape == data.shape and isinstance(rng, np.random.Generator)
    return epsilon @ data + rng.laplace()

def counts(data, epsilon, rng):
    assert data.ndim == 1 and data.dtype.kind == "i" and 0 <= data.min() <= data.max() <= 2
    assert epsilon.shape == data.shape and isinstance(rng, np.random.Generator)
    return np.bincount(data, weights=epsilon, minlength=3) / 2 + rng.laplace(size=3)
"""
QUICK = ("--jobs", 1, "--quiet")


def written(folder: Path, text: str, name: str = "hdp-audit.toml") -> Path:
    """A spec in a folder, with release.py beside it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (folder / "release.py").write_text(GOOD, encoding="utf-8")
    return path


def odd(folder: Path, name: str) -> Path:
    """A spec for one of the ODD mechanisms."""
    text = TARGET.format(name=name)
    if name == "counts":
        text = text.replace('task = "mean"', 'task = "frequency"\ncategories = 3')
    spec = written(folder, text)
    (folder / "release.py").write_text(ODD)
    return spec


def invoke(*arguments: object) -> Result:
    """The program in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def invoke_program(does: Callable[[], object]) -> Result:
    """A program of one command, which does this, in this process."""
    program = Program(commands=[click.Command("do", callback=does)])
    return CliRunner().invoke(program, ["do"], catch_exceptions=False)


def document(out: Path) -> dict[str, Any]:
    """The report.json of a folder; NaN and Infinity are no JSON."""
    return dict(json.loads((out / "report.json").read_text(encoding="utf-8"), parse_constant=pytest.fail))
