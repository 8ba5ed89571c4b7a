"""Access to the page: single-use codes that open it, and the sessions of admitted browsers.

`memoro ui` asks for a code with the token of the home, and the browser hands it in for a cookie. All of it lives in
this process: after a restart, `memoro ui` lets the browser in again.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

CODE_SECONDS = 60.0
SESSION_SECONDS = 12 * 3600.0  # since the browser was let in
_MOST_CODES = 16  # that wait at once; an older one is forgotten
_MOST_SESSIONS = 64


class PageSession(NamedTuple):
    """A browser that was let in."""

    csrf: str  # every form of the page carries it
    until: float


class PageAccess:
    """The codes that wait, and the sessions. Threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._codes: dict[str, float] = {}  # digest -> until when it is valid
        self._sessions: dict[str, PageSession] = {}  # by the digest of the cookie

    def new_code(self) -> str:
        """A code that lets one browser in, within a minute."""
        made = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._codes) >= _MOST_CODES:
                del self._codes[next(iter(self._codes))]
            self._codes[_digest(made)] = self._clock() + CODE_SECONDS
        return made

    def let_in(self, code: str) -> str | None:
        """Take a code and return the cookie of a new session; None if the code is unknown, used or too old."""
        with self._lock:
            until = self._codes.pop(_digest(code), None)
            if until is None or self._clock() > until:
                return None
            while len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            cookie = secrets.token_urlsafe(32)
            self._sessions[_digest(cookie)] = PageSession(secrets.token_urlsafe(32), self._clock() + SESSION_SECONDS)
            return cookie

    def session(self, cookie: str) -> PageSession | None:
        """The session of a cookie; None if there is none, or it is over."""
        with self._lock:
            found = self._sessions.get(_digest(cookie))
            if found is not None and self._clock() > found.until:
                del self._sessions[_digest(cookie)]
                return None
            return found

    def leave(self, cookie: str) -> None:
        """End the session of a cookie."""
        with self._lock:
            self._sessions.pop(_digest(cookie), None)


def _digest(secret: str) -> str:
    """Secrets are compared by their digests, so how long a comparison takes tells nothing about them."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
