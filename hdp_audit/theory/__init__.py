"""The paper's statements and ours as explicit numbers, independent of the mechanisms' code.

`cells` answers for the eight minimax rates, `gaussian_cells` for demands ρ (`gaussian`, `ball`: bounds under Gaussian
noise). Guarantees: `upper`, `hull`, `minimise`. Impossibilities: `lower_pac`,
`lower_mse` (packings), `chain_pac`, `chain_mse`, `chain_product`, `chain_pool`, `spider_bounds` (certified chains of
datasets), `coin_chain`, `beta_chain`, `dice_chain`, `split`, `sampling`, `statistical` (weak setting), gathered by
`lower`. Errors of tables in ℓ1 and ℓ2: `noise_norms`, `guarantee_norms`, `norm_upper`, `norm_lower`,
`chain_absolute`; E_stat: `population`. The paper's own orders: `paper`; its theorems: `optimality`; error against
level: `sweep`.
"""

from hdp_audit.theory.cells import Cell, cells
from hdp_audit.theory.names import Metric, Norm, Problem, Setting, Task

__all__ = ["Cell", "Metric", "Norm", "Problem", "Setting", "Task", "cells"]
