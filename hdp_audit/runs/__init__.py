"""A run of an audit on this machine: journal, lock, progress, what identifies it, and its last strokes."""
