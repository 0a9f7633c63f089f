"""The labels of the paper's statements and displayed steps: every one must have an entry in the ledger.

Definitions, algorithms, tables and figures carry labels too; they state nothing and are not listed.
"""

from __future__ import annotations

from hdp_audit.proofs.entry import Entry

STATEMENTS = (
    "lem:eps-dp",
    "thm:corr-minimax",
    "thm:uncorr-minimax-pac",
    "thm:uncorr-minimax-mse",
    "thm:pac-ub",
    "thm:mse-ub",
    "thm:pac-lb",
    "thm:mse-lb",
    "lem:max-exp",
    "lem:max-exp-2",
)

DISPLAYED = (
    "eq:ws-rc", "eq:ws-ru", "eq:RC-def", "eq:RU-def",
    "eq:rf-c", "eq:rm-c", "eq:rf-u", "eq:rm-u",
    "eq:ef-c", "eq:em-c", "eq:ef-u", "eq:em-u",
    "eq:rf-c-lb", "eq:rm-c-lb", "eq:lb1", "eq:lb2", "eq:lb1-m", "eq:lb2-m",
    "eqr-1", "eq:hoef", "eq:NA", "eq:HL", "eq:two-cond", "eq:note",
    "eqr:2", "eqr:3", "eq:this1",
    "eq:deflb", "eq:dplb", "eq:deflb1", "eq:dplb1",
    "eq:mse-lb-1", "eq:mse-lb-3", "eq:mse-lb-4", "eq:mse-lb-5", "eq:mse-lb-7",
    "eq:panch", "eq:pop1", "eq:cvx", "eq:pop2",
    "eq:ru-ub", "eq:ru-lb",
)  # fmt: skip

# Where an unnumbered claim of the text stands: sections, the turbo algorithm, two tables.
PLACES = (
    "sec:pd", "sec:alg", "sec:disc", "sec:hpf", "sec:mod-choice", "sec:interu",
    "adx:exp-details", "adx:lb", "adx:ldp", "adx:apx",
    "alg:BDPF", "tab:hpf-weights", "tab:summary",
)  # fmt: skip


def coverage(entries: tuple[Entry, ...]) -> dict[str, tuple[str, ...]]:
    """For each statement and displayed step of the paper, the ids of the entries that cover it."""
    return {label: tuple(entry.id for entry in entries if label in entry.labels) for label in STATEMENTS + DISPLAYED}
