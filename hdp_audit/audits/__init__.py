"""Attacks, evidence and theory become findings; decide.py and the verdicts_*.py alone make verdicts."""
