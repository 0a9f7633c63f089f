"""The paper's statements and ours as explicit numbers, independent of the mechanisms' code.

`cells` answers for the eight minimax rates, `gaussian_cells` for demands ρ (`gaussian`, `ball`: bounds under Gaussian
noise). Guarantees: `upper`, `hull`, `minimise`. Impossibilities: `lower_pac`,
`lower_mse` (packings), `chain_pac`, `chain_mse`, `chain_product`, `chain_pool`, `spider_bounds` (certified chains of
datasets), `coin_chain`, `beta_chain`, `dice_chain`, `split`, `sampling`, `statistical` (weak setting), gathered by
`lower`. The paper's own orders: `paper`; its theorems: `optimality`; error against level: `sweep`.
"""

from hdp_audit.theory.cells import Cell, cells
from hdp_audit.theory.names import Metric, Problem, Setting, Task

__all__ = ["Cell", "Metric", "Problem", "Setting", "Task", "cells"]
