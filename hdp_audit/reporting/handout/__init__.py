"""A counterexample as a thing: files with which anybody can count its event without this suite."""
