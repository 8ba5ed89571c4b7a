"""Statements that take another back or correct it: "no longer", "not X but Y", "cancelled", "done"."""

from __future__ import annotations

import re

# Phrases of English and German that say that something has ceased to hold.
_ENDED = (
    r"no longer|any ?more|any longer|cancell?ed|called off|abgesagt|storniert|fällt aus|"
    r"(?:is|was|are|were|been|got) (?:all |now |already )?"
    r"(?:done|finished|completed?|over|dropped|abandoned|withdrawn|obsolete)|"
    r"(?:ist|sind|wurde|wurden) (?:erledigt|fertig|abgeschlossen|vorbei|verworfen|hinfällig)|"
    r"stopped|quit|gave up|scrapped|took back|taken back|aufgehört|aufgegeben|zurückgezogen"
)
# Words that say that another value holds now, and nothing about the subject.
_CHANGED = (
    r"instead(?: of)?|rather than|anstatt|statt(?:dessen)?|correction|korrektur|actually|in fact|used to|formerly|"
    r"previously|früher|bisher|changed|switched|renamed|replaced|gewechselt|umbenannt|ersetzt"
)
# Both with words of the subject between their parts.
_AROUND = (
    r"nicht (?:[\w.:/-]+ ){0,4}?mehr|not (?:[\w.:/'’-]+ ){1,6}?but|nicht (?:[\w.:/-]+ ){1,6}?sondern|moved|migrated|"
    r"(?:[\w.:/'’-]+, )?not (?:[\w.:/'’-]+)(?=[.!]?$)"
)
_NOW = r"now|jetzt|ab sofort|from now on|as of (?:now|today)|update"
_CORRECTION = re.compile(rf"(?<!\w)(?:{_ENDED}|{_CHANGED}|{_AROUND})(?!\w)", re.IGNORECASE)
_ABOUT_CHANGE = re.compile(rf"(?<!\w)(?:{_ENDED}|{_CHANGED}|{_NOW})(?!\w)", re.IGNORECASE)


def is_correction(text: str) -> bool:
    """Return whether a statement takes another back or corrects it, by its words alone."""
    return _CORRECTION.search(text) is not None


def subject_words(text: str) -> str:
    """Return a statement without its words of change: what is left names what it is about.

    With them, "The standup is cancelled" would be nearest to everything else that was cancelled.
    """
    left = " ".join(_ABOUT_CHANGE.sub(" ", text).split())
    return left if re.search(r"\w", left) else text
