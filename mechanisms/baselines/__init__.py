"""Baselines that are no weighted sum: sampling (Jorgensen et al.) and local privacy."""
