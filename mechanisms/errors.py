"""What the mechanisms refuse."""


class InvalidInput(ValueError):
    """A value outside what is allowed; the message says what was given and what to do."""
