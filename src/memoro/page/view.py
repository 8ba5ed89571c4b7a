"""What a view gets, and what it answers.

A view is a function in `page/views/` and a template of its own: it gets a `PageRequest`, calls operations, and
returns what the template shows, or says that something was done. A new view also needs its row in the module's
`VIEWS`, and its texts in `page/texts/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from memoro.errors import QueryError
from memoro.model.vocabulary import PERSON
from memoro.operations.operation import AnyOperation, Caller

if TYPE_CHECKING:
    from memoro.workspace import Workspace


class Fields(NamedTuple):
    """The fields of a query or of a form, in order; one name may have several values."""

    pairs: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        return next((value for key, value in self.pairs if key == name), default).strip()

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value.strip() for key, value in self.pairs if key == name and value.strip())

    def number(self, name: str, default: int) -> int:
        """A whole number; raises QueryError for anything else."""
        text = self.get(name)
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise QueryError(f"{name} takes a whole number, not {text[:80]!r}.")
        return int(text)

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.pairs)


class PageRequest(NamedTuple):
    """A request of the owner's browser."""

    m: Workspace
    path: Mapping[str, str] = {}  # the parts of the path that the route names
    query: Fields = Fields()
    form: Fields = Fields()  # of a POST, whose CSRF token was checked

    def call(self, operation: AnyOperation, request: tuple[object, ...], part: str = "") -> Any:
        """Call an operation as the owner. A form sent twice with the same `key` is carried out once.

        A form that writes several times names a `part` for each write.
        """
        key = self.form.get("key")
        whole = f"{key}:{part}" if key and part else key
        return operation.run(self.m, request, Caller(source=PERSON, key=whole or None))


class Shown(NamedTuple):
    """A page: its template, and the values that the template shows."""

    template: str  # a file in `page/templates/`
    values: Mapping[str, object] = {}  # `told`: sentences about troubles, which the frame then leaves out
    part: str = ""  # the block that is sent alone when the page asks for a part of itself
    status: int = 200
    address: str = ""  # that the browser shows once it has this part; empty: the address stays


class Done(NamedTuple):
    """Something was done: the browser goes on to a page of ours, which says so and offers to undo it."""

    sentence: str  # empty: there is nothing to say
    to: str = ""  # a path of the page; empty: where the form was
    undo: int | tuple[int, ...] | None = None  # the number of the change, or of several
    proposals: tuple[int, ...] = ()  # whose changes the undo takes back


Answer: TypeAlias = Shown | Done


class View(NamedTuple):
    """A path of the page and the function behind it."""

    path: str  # "/memories/{id:int}"
    answer: Callable[[PageRequest], Answer]
    method: Literal["GET", "POST"] = "GET"
    menu: str = ""  # the key of its name in the menu (texts of "menu"); empty: not listed there


Views: TypeAlias = Sequence[View]
