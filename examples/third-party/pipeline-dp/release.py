"""A count for each city with PipelineDP on its local backend, with one epsilon a call; cities are public."""

import pipeline_dp

CITIES = (0, 1, 2)
BACKEND = pipeline_dp.LocalBackend()
COUNT = pipeline_dp.AggregateParams(
    noise_kind=pipeline_dp.NoiseKind.LAPLACE,
    metrics=[pipeline_dp.Metrics.COUNT],
    max_partitions_contributed=1,
    max_contributions_per_partition=1,
)
ROWS = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: row[1], value_extractor=lambda _row: 1
)


def counts(data, epsilon):
    """One row a user: who, and in which city."""
    budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=float(epsilon.min()), total_delta=0)
    engine = pipeline_dp.DPEngine(budget, BACKEND)
    found = engine.aggregate(list(enumerate(data.tolist())), COUNT, ROWS, public_partitions=list(CITIES))
    budget.compute_budgets()
    by_city = dict(found)
    return [float(by_city[city].count) for city in CITIES]
