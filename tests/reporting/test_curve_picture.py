"""The picture of promised and shown δ: whose it is, and that it has both curves."""

from __future__ import annotations

from typing import Any

from hdp_audit.model.finding import Finding
from hdp_audit.reporting.html.curve import curve_picture

PROMISED = [[0.0, 0.4, 0.3], [1.0, 0.1, 0.05]]
NOTHING = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.05]]


def finding(what: str, verdict: Any, claimed: float, curve: object) -> Finding:
    return Finding.about(
        "release", "privacy", what, verdict, "said", claimed=claimed, detectable=2.0, facts={"curve": curve}
    )


def test_the_worst_claim_is_drawn_and_an_empty_promise_that_holds_comes_last() -> None:
    none, some = finding("tier/0", "pass", 0.0, NOTHING), finding("tier/1", "pass", 1.0, PROMISED)
    picture, whose = curve_picture([none, some]) or ("", "")
    assert whose == "privacy/tier/1"
    assert picture.count("<polyline") == 2
    assert (curve_picture([none]) or ("", ""))[1] == "privacy/tier/0"
    broken = finding("tier/0", "fail", 0.0, NOTHING)
    assert (curve_picture([some, broken]) or ("", ""))[1] == "privacy/tier/0"


def test_findings_without_a_curve_have_no_picture() -> None:
    assert curve_picture([finding("tier/1", "pass", 1.0, None), finding("tier/2", "fail", 2.0, [[0.0, 1.0]])]) is None
