"""One namespace: every public name is there, documented, and loads nothing before it is asked for."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys

import pytest

import hdp_audit
from hdp_audit import api

HEAVY = ("numpy", "scipy", "pandas", "statsmodels", "sympy", "z3", "jinja2", "rich")


@pytest.mark.parametrize("name", [name for name in hdp_audit.__all__ if name != "__version__"])
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert name in dir(hdp_audit)
    assert inspect.getdoc(getattr(hdp_audit, name))


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hdp_audit.nothing


def test_every_parameter_of_an_audit_is_documented() -> None:
    text = inspect.getdoc(api.audit) or ""
    assert [name for name in inspect.signature(api.audit).parameters if f"\n    {name}: " not in text] == []


@pytest.mark.parametrize("name", sorted(set(hdp_audit.__all__) - {"__version__"}))
def test_every_public_name_has_an_example_that_runs(name: str) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(getattr(hdp_audit, name), name)
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(example).failed == 0
    assert runner.tries >= 2


@pytest.mark.parametrize("name", sorted(set(hdp_audit.__all__) - {"__version__", "audit"}))
def test_every_parameter_of_a_public_name_is_documented(name: str) -> None:
    one = getattr(hdp_audit, name)
    text = inspect.getdoc(one) or ""
    given = [] if inspect.isabstract(one) else inspect.signature(one).parameters
    assert [parameter for parameter in given if f"\n    {parameter}: " not in text] == []


def test_the_package_itself_loads_nothing_heavy() -> None:
    code = f"import hdp_audit, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
