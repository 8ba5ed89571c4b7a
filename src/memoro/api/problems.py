"""Errors as HTTP answers: a status, the name of the error, and its sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoro import errors
from memoro.errors import MemoroError


class Problem(NamedTuple):
    status: int
    type: str  # the error's class, in lower case with hyphens: memory-not-found
    detail: str  # what is wrong and what to do
    retry_after: int | None = None  # after how many seconds to try again; None: that is not known

    @property
    def title(self) -> str:
        """The name of the error in words: Memory not found."""
        return self.type.replace("-", " ").capitalize()

    def document(self) -> dict[str, object]:
        """The problem as `application/problem+json` has it (RFC 9457)."""
        return {"type": self.type, "title": self.title, "status": self.status, "detail": self.detail}


# The first class that fits gives the status. 4xx: the caller can do something about it. 5xx: this machine must.
STATUSES: tuple[tuple[type[MemoroError], int], ...] = (
    (errors.WaitsInOutbox, 202),  # accepted: it is kept, and done later
    (errors.OutOfScope, 403),
    (errors.NeedsCommandLine, 403),
    (errors.NotInSeat, 403),
    (errors.KeyReused, 409),
    (errors.ProposalOutdated, 409),
    (errors.ChangeProposed, 409),
    (errors.MemoryOutdated, 409),
    (errors.Refused, 422),
    (errors.ConversationUnreadable, 422),
    (errors.ConfigError, 400),
    (errors.NotFound, 404),
    (errors.NoteNotFound, 404),
    (errors.NeedsConsent, 428),
    (errors.LedgerError, 409),
    (errors.NoteExists, 409),
    (errors.NoteUnwritable, 409),
    (errors.NoteUnreadable, 422),
    (errors.VaultChanged, 409),
    (errors.TooManyGone, 409),
    (errors.VaultError, 503),
    (errors.ProviderUnavailable, 503),
    (errors.ProviderError, 502),
    (errors.AlreadyServed, 409),
    (errors.StorageFull, 507),
    (errors.StoreError, 503),
    (errors.Interrupted, 503),
    (errors.MemoroError, 500),
)


def problem_of(error: MemoroError) -> Problem:
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    wait = error.retry_after if isinstance(error, errors.ProviderUnavailable) else None
    return Problem(
        status=status,
        type=error_name(type(error)),
        detail=error.over_http if isinstance(error, errors.NeedsConsent) else str(error),
        retry_after=None if wait is None else max(1, round(wait)),
    )


def failure(inside: str) -> Problem:
    """The problem of an error that nobody expected. Its details are in the log alone."""
    return Problem(500, "internal-error", f"Memoro failed inside {inside}; its log has the details.")


def error_name(kind: type[MemoroError]) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()
