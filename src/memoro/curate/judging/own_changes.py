"""What a person tells of a change in other words than the older statement has: "I moved to Linz", "I live in Graz".

Such sentences share no word, and how near their vectors are depends on whether the built-in model knows the names. So
patterns tell them. A person decides about what they find; no search marks anything as older by them.
"""

from __future__ import annotations

import re

from memoro.model.attributes import find_stated, stated_attributes
from memoro.model.sentences import topic_words
from memoro.search.compared_statements import specific_words

_SELF = r"^\W*(?:i|we|ich|wir)(?:['’]ve|['’]m|['’]re| have| am| are| bin| sind)?(?: (?:just|now|recently|jetzt|nun))?"
_NAME = r"(?-i:[^\W\d_a-zà-öø-ÿ])[\w'’-]+(?: (?-i:[^\W\d_a-zà-öø-ÿ])[\w'’-]+)?"
# "We moved to Linz in May" is a move; "we moved to Outline for docs" and "to Linz GmbH as our supplier" are none.
_AFTER = r"(?=\W*$| (?:in|on|at the|this|last|two|three|a|from|with|together|because|after|since|again|now|im|am)\b)"
_MOVES = re.compile(
    rf"{_SELF} (?:moved|relocated)(?: back)? to {_NAME}{_AFTER}|{_SELF} (?:.{{1,30}} )?nach {_NAME} (?:um)?gezogen",
    re.IGNORECASE,
)
_LIVES = re.compile(
    rf"(?:{_SELF} (?:live|based|wohnen?|leben?)|^\W*(?:(?:the )?(?:user|owner) )?(?:lives|based|living|wohnt|lebt))"
    r"(?: (?:now|currently|jetzt))? in\b|^\W*(?:residence|hometown|wohnort)\b(?: (?:is|ist)\b|:)",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    rf"{_SELF} (?:(?:switched|moved|migrated|changed)(?: over)? to"
    r"|.{1,30} (?:umgestiegen|gewechselt|umgestellt))\b",
    re.IGNORECASE,
)
_USES = re.compile(rf"{_SELF} (?:use|using|nutzen?|benutzen?|verwenden?)\b|^\W*uses\b", re.IGNORECASE)
_MOST_WORDS = 4  # content words of a sentence that only says what is used: more tell for what


def tells_other_home(new: str, old: str) -> bool:
    """Return whether a person tells of a move, and the older statement of another place where they live."""
    if "home" not in stated_attributes(new):  # "we moved to Postgres" has a technical value
        return False
    return bool(_MOVES.search(new) and _LIVES.search(old)) and _names_another(new, old)


def tells_other_tool(new: str, old: str) -> bool:
    """Return whether a person switched to one tool, and the older statement says that they use another like it."""
    if not (_SWITCHES.search(new) and _USES.search(old)) or not _values(new) & _values(old):
        return False
    return max(len(topic_words(new)), len(topic_words(old))) <= _MOST_WORDS and _names_another(new, old)


def _values(text: str) -> frozenset[str]:
    """The attributes of which a text names a well-known value: "Jenkins" is one of builds."""
    return frozenset(cue.name for cue in find_stated(text) if cue.column == "values")


def _names_another(new: str, old: str) -> bool:
    """Return whether no name of the older statement stands in the new one: who moved to Graz lives there."""
    return specific_words(old).isdisjoint(topic_words(new))
