"""Why something may not be given unasked, and the record of that as an agent may read it."""

from __future__ import annotations

from memoro.model.recall import LeftOut, Recalled

PRIVATE = "private"
PERSONAL = "personal, and not of this project"
DIARY = "a line of the diary"
NO_PROJECT = "of no project"
OTHER = "another project's"

UNSURE = "nothing stored is sure enough to answer it"
_WOULD_ANSWER = "what would answer it is "


def reason_for_silence(withheld: LeftOut) -> str:
    """Return why nothing was given, where this would have been."""
    return f"{_WOULD_ANSWER}{withheld.why}"


def without_withheld(recalled: Recalled) -> Recalled:
    """Return the answer as an agent may read it: it must not learn what was kept from it."""
    kept = tuple(one for one in recalled.left_out if not _is_withheld(one))
    before, is_told, _ = recalled.decision.partition(_WOULD_ANSWER)
    return recalled._replace(left_out=kept, decision=before + UNSURE if is_told else recalled.decision)


def _is_withheld(one: LeftOut) -> bool:
    return one.why in (PRIVATE, PERSONAL, DIARY) or one.why.startswith(OTHER) or one.why.endswith(NO_PROJECT)
