"""Whether a decision takes back the one just before it: "make it 90", "no wait", "Friday instead". Pure."""

from __future__ import annotations

import re

from memoro.conversation import digest_cues as cues
from memoro.conversation.sentences import Sentence, alike, words

_REPEATS = 0.5  # of the words of a decision that an answer to it repeats
_OWN_WORDS = 2  # that a change may have besides its value, and still speak of what was said before
_DAYS = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|"
    "sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
)
_VALUE = re.compile(
    rf"(?P<time>\b\d{{1,2}}[:.]\d\d\b(?!\.\d)|\b\d{{1,2}} ?(?:am|pm|uhr|h)\b)|\b(?P<day>{_DAYS})s?\b|"
    r"(?<![\w.:/-])(?P<number>\d+(?:[.,]\d+)*)(?![\w:])",
    re.IGNORECASE,
)
# It speaks of the value itself: "make it 90".
_SETS_IT = cues.any_of(
    r"\b(?:make|leave|keep|set|put|move|change|raise|lower) (?:it|that|this|them|those)\b|"
    r"\b(?:mach|lass|setz|stell|verschieb)\w* (?:wir )?(?:es|das|ihn|sie)\b|\bmets[- ](?:le|la|les)\b|"
    r"\bponlo\b|\bpon(?:la|los|las)\b"
)
_TAKES_BACK = cues.any_of(
    r"^\W*(?:(?:hm+|oh|ah|ach|sorry|ok(?:ay)?|ne)\b\W*)*(?:no,? wait|wait|scratch that|nein,? warte|halt)\b|"
    r"\bscratch that\b|\bi meant\b|\binstead(?! of)\b|\bon second thoughts?\b|\bchanged my mind\b|"
    r"\bdoch lieber\b|\bstattdessen\b|\bfinalement\b|\bmejor\b(?! que)|\bem vez disso\b|\binvece\b"
)


def takes_back(new: str, old: str, answer: tuple[Sentence, ...]) -> bool:
    """Return whether what a person says changes what they decided just before; `answer` stands between the two."""
    between = " ".join(one.text for one in answer)
    sets_it, is_change = bool(_SETS_IT.search(new)), bool(_TAKES_BACK.search(new))
    if not (sets_it or is_change) or not _is_near(new, f"{old} {between}", sets_it=sets_it):
        return False
    before, after = _values(old), _values(new)
    if kinds := before.keys() & after.keys():
        return any(not after[kind] <= before[kind] and _repeats(between, kind, before[kind]) for kind in kinds)
    if before or after or not is_change or any(cues.PROPOSES.search(one.text) for one in answer):
        return False
    return alike(words(old), words(between)) >= _REPEATS


def _is_near(new: str, before: str, *, sets_it: bool) -> bool:
    """Return whether a change names nothing else than what was said before."""
    own = words(_TAKES_BACK.sub(" ", _VALUE.sub(" ", new)))
    return sets_it or len(own) <= _OWN_WORDS or bool(own & words(before))


def _values(text: str) -> dict[str, set[str]]:
    """Return the values in a text by their kind."""
    found: dict[str, set[str]] = {}
    for kind, value in _told(text):
        found.setdefault(kind, set()).add(value)
    return found


def _told(text: str) -> list[tuple[str, str]]:
    return [(str(match.lastgroup), match[0].lower().removesuffix("s")) for match in _VALUE.finditer(text)]


def _repeats(answer: str, kind: str, values: set[str]) -> bool:
    """Return whether the last value of an answer is that of the decision: then "it" means that one."""
    told = [value for one, value in _told(answer) if one == kind]
    return bool(told) and told[-1] in values
