"""Errors as HTTP answers: a status, the name of the error, and its sentence."""

from __future__ import annotations

from typing import NamedTuple

from memoro import errors
from memoro.errors import MemoroError


class Problem(NamedTuple):
    status: int
    type: str  # the error's class, in lower case with hyphens: memory-not-found
    detail: str  # what is wrong and what to do


_STATUS: tuple[tuple[type[MemoroError], int], ...] = (
    (errors.NotFound, 404),
    (errors.NoteNotFound, 404),
    (errors.OutOfScope, 403),
    (errors.NeedsCommandLine, 403),
    (errors.ConfigError, 400),
    (errors.MemoroError, 500),
)


def problem_of(error: MemoroError) -> Problem:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    return Problem(status, _name(type(error)), str(error))


def _name(kind: type[MemoroError]) -> str:
    return "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in kind.__name__).lstrip("-")
