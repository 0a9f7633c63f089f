"""The same service with a fault: "who gets no answer learns nothing, so a refused question costs nothing"."""

from service import FEWEST, Refused, Service


class Forgetful(Service):
    """Looks at the data to refuse a question, and forgets to charge for that."""

    def count(self, cut, price, at_least):
        """As before, but a question about too few users is refused before anybody pays."""
        payers = self._payers(cut, price)
        if payers.sum() < max(at_least, FEWEST):
            raise Refused
        return self._paid(payers, price)
