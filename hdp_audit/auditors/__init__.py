"""Attacks, evidence and theory become findings; decide.py alone makes verdicts."""
