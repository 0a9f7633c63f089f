"""Planted faults: correct mechanisms with one mistake each, one file per mistake. Never in the catalog's list."""

from collections.abc import Mapping
from types import MappingProxyType

from mechanisms.broken import (
    biased_weights,
    crash_on_zero,
    data_dependent_scale,
    fifth_less_noise,
    fixed_seed,
    float_noise,
    forgotten_category,
    gaussian_noise,
    half_noise,
    heavy_tails,
    ignores_rng,
    mean_demand,
    mean_not_max,
    missing_factor_two,
    no_noise,
    noise_drawn_once,
    noiseless_constant,
    noiseless_empty_bin,
    one_user_twenty_times,
    reused_noise,
    sm_realised,
    sm_realised_mean,
    sorted_demands,
    too_much_noise,
    unclipped,
    unnormalised_weights,
    wrong_clip,
    zero_demand_counted,
)
from mechanisms.broken.fault import PlantedFault

_MODULES = (
    biased_weights,
    crash_on_zero,
    data_dependent_scale,
    fifth_less_noise,
    fixed_seed,
    float_noise,
    forgotten_category,
    gaussian_noise,
    half_noise,
    heavy_tails,
    ignores_rng,
    mean_demand,
    mean_not_max,
    missing_factor_two,
    no_noise,
    noise_drawn_once,
    noiseless_constant,
    noiseless_empty_bin,
    one_user_twenty_times,
    reused_noise,
    sm_realised,
    sorted_demands,
    too_much_noise,
    unclipped,
    unnormalised_weights,
    wrong_clip,
    zero_demand_counted,
)

FAULTS: Mapping[str, PlantedFault] = MappingProxyType({module.FAULT.name: module.FAULT for module in _MODULES})

# Break privacy by so little that no test can be sure of it in some 100,000 calls.
FAINT: Mapping[str, PlantedFault] = MappingProxyType({sm_realised_mean.FAULT.name: sm_realised_mean.FAULT})

__all__ = ["FAINT", "FAULTS", "PlantedFault"]
