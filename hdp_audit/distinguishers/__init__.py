"""Rules that tell two laws apart, learned from outputs, and how they are put into words."""
