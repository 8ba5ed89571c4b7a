"""The keys for decisions in a host: one for each proposal that was shown.

An agent must not accept what it proposed. So a decision needs a key that is sent to the view alone, in the `_meta` of
an answer, which no host puts before a model. A key is good for one proposal as it was shown, and once.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from memoro.errors import Refused

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview

Decision: TypeAlias = Literal["accept", "reject", "undo"]
STALE = (
    "This proposal has changed since it was shown, or its buttons were used already. Look at it again, then decide."
)
_MOST = 1000  # keys; beyond that the oldest lapse


class _Shown(NamedTuple):
    number: int
    digest: str
    is_undo: bool = False


class DecisionKeys:
    """The keys that one server has handed out. They end with its process."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}
        self._changing = threading.Lock()

    def issue(self, shown: ProposalPreview) -> str:
        """A new key to accept or reject a proposal as it is shown now."""
        return self._keep(_Shown(shown.proposal.id, digest_of(shown)))

    def issue_undo(self, number: int) -> str:
        return self._keep(_Shown(number, "", is_undo=True))

    def take(self, key: str, number: int, *, is_undo: bool) -> str:
        """Use up a key, and return the digest of what was shown with it. Raises Refused for any other key."""
        with self._changing:
            shown = self._shown.get(key)
            if shown is None or (shown.number, shown.is_undo) != (number, is_undo):
                raise Refused(STALE)
            del self._shown[key]
        return shown.digest

    def _keep(self, shown: _Shown) -> str:
        key = secrets.token_hex(16)
        with self._changing:
            self._shown[key] = shown
            while len(self._shown) > _MOST:
                del self._shown[next(iter(self._shown))]
        return key


def digest_of(shown: ProposalPreview) -> str:
    """A digest of all that a person sees of a proposal: what it would change, both texts, and the reasons."""
    return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()
