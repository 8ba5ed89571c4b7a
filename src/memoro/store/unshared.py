"""Who sees the rows of a ledger that nobody shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import Refused
from memoro.model.vocabulary import Visibility

if TYPE_CHECKING:
    from memoro.ledger.repositories.visibility import SeenKind


class UnsharedVisibility:
    def of(self, _kind: SeenKind, _number: int) -> Visibility | None:
        return None

    def put(self, _kind: SeenKind, _number: int, _visibility: Visibility) -> None:
        raise Refused("Nobody else reads this home, so nothing in it is shared or private.")
