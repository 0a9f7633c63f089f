"""Renderers: pure functions from results to text, for terminals, files and browsers."""
