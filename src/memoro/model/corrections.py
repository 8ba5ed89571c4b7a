"""Statements that take another back or correct it: "no longer", "not X but Y", "cancelled", "done"."""

from __future__ import annotations

import re

from memoro.model.phrases import Phrases

# Each with words of which its matches hold one.
_Alternative = tuple[str, str]


def _words(held: str, pattern: str) -> _Alternative:
    return held, rf"(?<!\w)(?:{pattern})(?!\w)"


# Phrases of English and German that say that something has ceased to hold.
_ENDED = (
    _words(
        "no longer|any|cance|called off|abgesagt|storniert|fällt aus",
        r"no longer|any ?more|any longer|cancell?ed|called off|abgesagt|storniert|fällt aus",
    ),
    _words(
        "done|finished|complete|over|dropped|abandoned|withdrawn|obsolete",
        r"(?:is|was|are|were|been|got) (?:all |now |already )?"
        r"(?:done|finished|completed?|over|dropped|abandoned|withdrawn|obsolete)",
    ),
    _words(
        "erledigt|fertig|abgeschlossen|vorbei|verworfen|hinfällig",
        r"(?:ist|sind|wurde|wurden) (?:erledigt|fertig|abgeschlossen|vorbei|verworfen|hinfällig)",
    ),
    _words(
        "stopped|quit|gave up|scrapped|back|aufge|zurückgezogen",
        r"stopped|quit|gave up|scrapped|took back|taken back|aufgehört|aufgegeben|zurückgezogen",
    ),
)
# Words that say that another value holds now, and nothing about the subject.
_CHANGED = (
    _words(
        "instead|rather|statt|correction|korrektur|actually|in fact|used to",
        r"instead(?: of)?|rather than|anstatt|statt(?:dessen)?|correction|korrektur|actually|in fact|used to",
    ),
    _words(
        "formerly|previously|früher|bisher|changed|switched|renamed|replaced|gewechselt|umbenannt|ersetzt",
        r"formerly|previously|früher|bisher|changed|switched|renamed|replaced|gewechselt|umbenannt|ersetzt",
    ),
)
# Both with words of the subject between their parts.
_AROUND = (
    _words("nicht", r"nicht (?:[\w.:/-]+ ){0,4}?mehr|nicht (?:[\w.:/-]+ ){1,6}?sondern"),
    _words("not", r"not (?:[\w.:/'’-]+ ){1,6}?but|(?:[\w.:/'’-]+, )?not (?:[\w.:/'’-]+)(?=[.!]?$)"),
    _words("moved|migrated", r"moved|migrated"),
)
_NOW = _words("now|jetzt|ab sofort|as of|update", r"now|jetzt|ab sofort|from now on|as of (?:now|today)|update")
_CORRECTION = Phrases(*_ENDED, *_CHANGED, *_AROUND)
_ABOUT_CHANGE = Phrases(*_ENDED, *_CHANGED, _NOW)


def is_correction(text: str) -> bool:
    """Return whether a statement takes another back or corrects it, by its words alone."""
    return _CORRECTION.are_in(text)


def subject_words(text: str) -> str:
    """Return a statement without its words of change: what is left names what it is about.

    With them, "The standup is cancelled" would be nearest to everything else that was cancelled.
    """
    left = " ".join(_ABOUT_CHANGE.sub(" ", text).split())
    return left if re.search(r"\w", left) else text
