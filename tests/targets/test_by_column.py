"""Columns of a table as arguments, and one number for everybody's demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.audits.case import Case
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.domain import Range
from hdp_audit.model.labels import Labels
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.table import Table
from hdp_audit.targets.fresh import Fresh
from tests.cli.specs import invoke

PEOPLE = Table({"x": Range(-1, 1), "z": Range(0, 9), "y": Range(0, 1)})
DEMANDS = [0.5, 1.0, 2.0]
LISTED = {"x": [-1, 0, 1], "z": [9, 0, 3], "y": [0, 1, 0]}


def told(mechanism: Any, form: Any = None, *, one_demand: bool = False, domain: Any = PEOPLE) -> Any:
    """What it returns on three users."""
    demands, task = PrivacyDemands.from_values(DEMANDS), named_task("custom", None, domain)
    case = Case.of(
        "told",
        lambda: mechanism,
        demands,
        task,
        domain=domain,
        form=form,
        privacy=PrivacyClaim(),
        one_demand=one_demand,
    )
    return case.mechanism()(domain.taken(LISTED), np.array(DEMANDS), np.random.default_rng(1))


def listed(values: Any) -> Any:
    return values.to_dict("list") if hasattr(values, "to_dict") and hasattr(values, "columns") else list(values)


class Model:
    def __init__(self, epsilon: Any, random_state: Any = None) -> None:
        self.epsilon, self.random_state = epsilon, random_state

    def fit(self, X: Any, y: Any) -> Any:
        self.coef_ = listed(X), listed(y), self.epsilon, type(self.random_state)
        return self


class Unsupervised(Model):
    def fit(self, X: Any, y: Any = None) -> Any:
        return super().fit(X, y)


@pytest.mark.parametrize("kind", [Model, Unsupervised])
def test_a_method_of_data_and_a_column_gets_both(kind: type) -> None:
    rest, y, epsilon, seed = told(Fresh(kind, method="fit", output="coef_"), "pandas", one_demand=True)
    assert rest == {"x": [-1, 0, 1], "z": [9, 0, 3]}
    assert (y, epsilon, seed) == ([0, 1, 0], 0.5, int)


@pytest.mark.parametrize(
    ("form", "rest"),
    [
        ("numpy", [[-1, 9], [0, 0], [1, 3]]),
        ("pandas", [[-1, 9], [0, 0], [1, 3]]),
        ("polars", [[-1, 9], [0, 0], [1, 3]]),
        ("records", [{"x": -1, "z": 9}, {"x": 0, "z": 0}, {"x": 1, "z": 3}]),
    ],
)
def test_the_data_are_all_other_columns_in_the_form_that_is_asked_for(form: str, rest: Any) -> None:
    if form in ("pandas", "polars"):
        pytest.importorskip(form)

    def release(people: Any, y: Any, *, epsilon: Any, rng: Any) -> Any:
        return (people if form == "records" else np.asarray(people).tolist()), list(y), epsilon.tolist()

    assert told(release, form) == (rest, [0, 1, 0], DEMANDS)


def test_a_function_of_columns_alone_gets_them_in_any_order() -> None:
    def release(y: Any, epsilon: Any, z: Any, x: Any, cap: float = 2.0) -> Any:
        return list(x), list(y), list(z), cap

    assert told(release, "numpy") == ([-1, 0, 1], [0, 1, 0], [9, 0, 3], 2.0)


def test_what_has_a_default_of_its_own_keeps_it() -> None:
    def release(people: Any, epsilon: Any, rng: Any, y: float = 3.0) -> Any:
        return len(people.dtype.names), y

    assert told(release, "numpy") == (3, 3.0)


def test_columns_of_labels_stay_what_they_are() -> None:
    def release(rest: Any, y: Any, epsilon: Any, rng: Any) -> Any:
        return rest.dtype.names, list(y)

    domain = Table({"x": Labels(["a", "b"]), "z": Range(0, 9), "y": Range(0, 1)})
    demands, task = PrivacyDemands.from_values(DEMANDS), named_task("custom", None, domain)
    case = Case.of("told", lambda: release, demands, task, domain=domain, form="numpy", privacy=PrivacyClaim())
    data = domain.taken({**LISTED, "x": ["a", "b", "a"]})
    assert case.mechanism()(data, np.array(DEMANDS), np.random.default_rng(1)) == (("x", "z"), [0, 1, 0])


def test_a_method_that_wants_what_no_column_is_called_is_refused_in_words() -> None:
    class Odd:
        def fit(self, X: Any, target: Any) -> None: ...

    with pytest.raises(InvalidInput, match=r"wants X, target; a class and .* columns of a table"):
        told(Fresh(Odd, method="fit"), "numpy")


def all_given(data: Any, epsilon: Any, rng: Any) -> Any:
    return len(data), epsilon, rng is not None


def without_generator(data: Any, epsilon: Any) -> Any:
    return len(data), epsilon, True


@pytest.mark.parametrize("mechanism", [all_given, without_generator])
def test_one_demand_is_the_smallest_of_those_who_are_there(mechanism: Any) -> None:
    assert told(mechanism, "numpy", one_demand=True) == (3, 0.5, True)


SPEC = """
[mechanism]
target = "release.py:total"
task = "mean"
{more}
[demands]
values = [1, 1, 1, 1]

[privacy]
detect = 9
"""
CODE = (
    "import math\n\ndef total(data, epsilon, rng):\n    return data.mean() + rng.laplace() / math.log1p(epsilon) / 2\n"
)


def test_check_says_where_one_number_would_help(tmp_path: Path) -> None:
    (tmp_path / "release.py").write_text(CODE)
    (tmp_path / "hdp-audit.toml").write_text(SPEC.format(more=""))
    found = invoke("check", tmp_path / "hdp-audit.toml")
    assert found.exit_code == 2
    assert "write one_demand = true in [mechanism]" in found.output
    (tmp_path / "hdp-audit.toml").write_text(SPEC.format(more="one_demand = true"))
    assert "cannot be audited" not in invoke("check", tmp_path / "hdp-audit.toml").output


@pytest.mark.parametrize(
    ("more", "words"),
    [("one_demand = 1", "give true or false"), ("one_demand = true", "only a target can have it")],
)
def test_the_setting_is_checked(tmp_path: Path, more: str, words: str) -> None:
    text = SPEC.format(more=more)
    text = text.replace('target = "release.py:total"', 'command = ["sh"]') if "true" in more else text
    (tmp_path / "hdp-audit.toml").write_text(text)
    assert words in invoke("check", tmp_path / "hdp-audit.toml").output
