"""Every error as an HTTP answer: a status of its own kind, a name and a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoro import errors
from memoro.api.problems import STATUSES, failure, problem_of
from memoro.errors import MemoroError


def leaves(kind: type[MemoroError] = MemoroError) -> Iterator[type[MemoroError]]:
    for one in kind.__subclasses__():
        if one.__module__ == errors.__name__:
            yield one
            yield from leaves(one)


def made(kind: type[MemoroError]) -> MemoroError:
    """An error of a class, without the arguments that its sentence is made from."""
    error = kind.__new__(kind)
    error.args = ("A sentence.",)
    error.__dict__["retry_after"] = None
    return error


@pytest.mark.parametrize("kind", [*leaves()], ids=lambda kind: kind.__name__)
def test_an_error_of_ours_is_no_failure_of_the_program(kind: type[MemoroError]) -> None:
    found = problem_of(made(kind))
    assert found.status != 500
    assert 400 <= found.status < 600 or kind is errors.WaitsInOutbox  # a write that is kept is accepted
    assert found.detail == "A sentence."
    assert found.document() == {
        "type": found.type, "title": found.title, "status": found.status, "detail": "A sentence.",
    }  # fmt: skip


def test_every_row_is_reached() -> None:
    reached = {next(k for k, _ in STATUSES if isinstance(made(kind), k)) for kind in leaves()} | {MemoroError}
    assert reached == {kind for kind, _ in STATUSES}


def test_names_are_the_classes_in_words() -> None:
    assert problem_of(made(errors.MemoryNotFound)).type == "memory-not-found"
    assert problem_of(made(errors.StorageFull)).status == 507
    assert problem_of(made(errors.NeedsConsent)).status == 428
    assert problem_of(errors.LeftAlone("It rests.", retry_after=2.4)).retry_after == 2
    assert problem_of(made(errors.KeyReused)).title == "Key reused"


def test_an_unexpected_error_is_named_by_its_operation_alone() -> None:
    assert failure("memory store").detail == "Memoro failed inside memory store; its log has the details."
