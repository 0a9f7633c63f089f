"""A list whose entries are made when somebody looks at them: of many users each is large, and few are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, overload

Entry = TypeVar("Entry")


class Made(Sequence[Entry], Generic[Entry]):
    """What `make` makes of each of these, again each time.

    Example:
        >>> from hdp_audit.model.made import Made
        >>> squares = Made(lambda number: number**2, [1, 2, 3])
        >>> squares[-1], squares[:2], len(squares)
        (9, [1, 4], 3)
    """

    def __init__(self, make: Callable[[Any], Entry], of: Sequence[Any]) -> None:
        self._make, self._of = make, of

    def __len__(self) -> int:
        return len(self._of)

    @overload
    def __getitem__(self, at: int) -> Entry: ...
    @overload
    def __getitem__(self, at: slice) -> list[Entry]: ...
    def __getitem__(self, at: Any) -> Any:
        return [self._make(each) for each in self._of[at]] if isinstance(at, slice) else self._make(self._of[at])
