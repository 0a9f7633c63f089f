"""Three statements of the ledger, whole, in a proof assistant: checked where Coq is installed, and "not run" elsewhere.

The privacy of the weighted mean with Laplace noise (densities, and intervals of outputs), what a promise allows a
guesser of a fair coin (finitely many outcomes, rules that draw lots), and alignment (finitely many draws). The ledger
does not rest on it: these are other derivations of `privacy-hpm`, `game-right` and `trace-alignment-counted`.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SOURCE = Path(__file__).with_name("statements.v")
THEOREMS = 4
SECONDS = 600
# What Coq's own real numbers rest on; anything else that a theorem assumes, such as an admitted proof, is refused.
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)


@dataclass(frozen=True)
class Checked:
    """What came of it, in words for a person."""

    status: Literal["proved", "failed", "not run"]
    words: str


def check(source: Path = SOURCE, coqc: str | None = None) -> Checked:
    """Compile the statements; every theorem may assume what Coq's real numbers assume, and nothing else."""
    found = coqc or shutil.which("coqc")
    if found is None:
        return Checked("not run", "Coq: not run (there is no coqc); no entry above rests on it")
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(shutil.copy(source, folder))
        try:
            done = subprocess.run(  # noqa: S603 - the user's own coqc on our file
                [found, "-q", copied.name], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as why:
            return Checked("not run", f"Coq: not run ({why})")
    if done.returncode:
        return Checked("failed", f"Coq: failed: {' '.join((done.stderr or done.stdout).split())[:300]}")
    return _assumed(done.stdout)


def _assumed(printed: str) -> Checked:
    """`Print Assumptions` lists each axiom at the beginning of a line, and where there are any says so before."""
    lines = [line for line in printed.splitlines() if line and not line[0].isspace()]
    others = sorted({line.partition(" ")[0].rstrip(":") for line in lines} - AXIOMS - {"Axioms", "Closed"})
    theorems = sum(line.startswith(("Axioms:", "Closed under the global context")) for line in lines)
    if others or theorems != THEOREMS:
        told = f"assumes {', '.join(others)}" if others else f"{theorems} theorems instead of {THEOREMS}"
        return Checked("failed", f"Coq: failed: {told}")
    return Checked("proved", f"Coq: {theorems} theorems checked whole (hdp_audit/proofs/coq/statements.v)")
