"""One root for everything the suite refuses: messages say what was given, what is allowed, what to do."""


class HdpAuditError(Exception):
    """The root: a user's mistake or a job that cannot be done, never a bug in the suite."""


class InvalidDemands(HdpAuditError):
    """A privacy demand that is no number from 0 to inf, or a file that holds none."""


class InvalidInput(HdpAuditError):
    """Any other value outside what is allowed."""
