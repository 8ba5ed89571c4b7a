"""Attributes that hand on to a collaborator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, overload

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class Delegated(Generic[Owner, Value]):
    """An attribute that is looked up in a collaborator each time it is read."""

    def __init__(self, find: Callable[[Owner], Value], doc: str) -> None:
        self._find = find
        self.__doc__ = doc

    @overload
    def __get__(self, owner: None, kind: type[Owner]) -> Delegated[Owner, Value]: ...

    @overload
    def __get__(self, owner: Owner, kind: type[Owner]) -> Value: ...

    def __get__(self, owner: Owner | None, kind: type[Owner]) -> Delegated[Owner, Value] | Value:
        return self if owner is None else self._find(owner)
