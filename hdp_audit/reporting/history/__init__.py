"""Many reports of the same claims over time: what changed, as a statement with an error probability."""
