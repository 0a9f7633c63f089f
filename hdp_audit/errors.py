"""One root for everything the suite refuses: messages say what was given, what is allowed, what to do."""


class HdpAuditError(Exception):
    """The root: a user's mistake or a job that cannot be done, never a bug in the suite."""


class InvalidDemands(HdpAuditError):
    """A privacy demand that is no number from 0 to inf, or a file that holds none."""


class InvalidInput(HdpAuditError):
    """Any other value outside what is allowed."""


class NotAllowed(InvalidInput):
    """A named value that is not allowed: what was given, and what to give instead."""

    def __init__(self, given: str, allowed: str) -> None:
        super().__init__(given, allowed)
        self.allowed = allowed

    def __str__(self) -> str:
        return "; ".join(self.args)
