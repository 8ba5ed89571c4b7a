"""Read a sentence: does it state something, say that something has changed, and which value does it call past?"""

import re
from typing import NamedTuple

from memoro.model.words import STOP_WORDS

# Sentences that ask, want or plan state nothing that holds, in English and German.
_ASKS = re.compile(
    r"\?\W*$|^\W*(?:what|which|who|whom|whose|where|when|how|why|welche[rsnm]?|wer|wen|wem|wo|wann|wie|warum)\b[^.!,;:]*$",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:(?:we|i|you|they) (?:should|could|might|want|would|hope|plan)|should (?:we|i)|let'?s|maybe|perhaps"
    r"|(?:thinking|think) (?:about|of)|consider(?:s|ing)?|planning to|planned to|going to|(?:i|we)'d (?:like|love)"
    r"|remind me|can you|could you|would you|to-?do|if (?:we|i|you|they)|i wish|propos(?:al|e|ed|ing)"
    r"|(?:wir|ich|man) (?:sollten?|könnten?|möchten?|wollen|will|würden?)|vielleicht|überleg\w*|erwäg\w*|geplant"
    r"|erinnere mich|kannst du|könntest du)\b|^\W*\[ \]",
    re.IGNORECASE,
)
# What somebody did or lived through once. Another such sentence does not take its place.
_HAPPENED = re.compile(
    r"\b(?:i|we|he|she|they|(?-i:[A-Z])\w+)(?:'ve| have| has| had)?(?: (?:just|also|recently|finally|even|once|never))?"
    r" (?:went|visited|attended|saw|watched|met|ate|read|played|tried|cooked|baked|made|painted|wrote|ran|hiked|swam"
    r"|celebrated|enjoyed|heard|learned|talked|spoke|told|asked|gave|got to|took part|joined us|came|flew|drove to"
    r"|had (?:a|an|lunch|dinner|breakfast|coffee|fun)|slept|felt|spent|helped|finished reading|fixed|debugged)\b"
    r"|\b(?:ich|wir|er|sie) (?:habe?n?|hat|bin|ist|sind|war(?:en)?)\b.*\b(?:gegangen|besucht|gesehen|getroffen"
    r"|gegessen|gelesen|gespielt|gekocht|gefahren|geflogen|gefeiert|geredet)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|nowadays|these days|from now on|as of|since (?:today|yesterday|this|last|the|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|\d)|from (?:today|tomorrow|monday|this|next)|new|no longer|any ?more"
    r"|any longer|instead|rather than|correct(?:ed|ion)|changed?|switched|moved|migrated|replaced?s?|renamed|raised"
    r"|lowered|cut (?:to|over)|took over|takes over|ported|goodbye|stepped down|gave up|dropped|scrap(?:ped)?"
    r"|cancell?ed|called off|forget what|undecided|unknown again|decided|decision|jetzt|nun|neuerdings|ab sofort|seit|"
    r"neue[rsnm]?|nicht mehr|kein\w* \w+ mehr|stattdessen|statt|gewechselt|umgezogen|umgestellt|ersetzt|umbenannt"
    r"|abgesagt|entschieden)\b",
    re.IGNORECASE,
)
_IN = r"(?:[^.,;:!?()]|[.,:](?=\d)|(?<=\b[DMS][rt])\.)"  # a character of a value: "65,000 euros", "Dr. Molina"
_ENDS = (
    r"(?=[.,;:!?)]|$| (?:any ?more|any longer|but|and|for|to|with|by|under|as|since|mehr|sondern|und|durch|nach)\b)"
)
_SPAN = rf"(?P<past>{_IN}{{1,60}}?){_ENDS}"
_GONE = (
    r"(?:is|are|was|were|has been|ist|sind|wurde)(?: now| all| finally)? (?:dead|gone|frozen|history|retired|closed"
    r"|uninstalled|off|over|wrong|out|obsolete|deprecated|no more|weg|tot|vorbei|abgeschaltet|falsch|geschlossen)"
)
_LEFT = r"(?:stepped down|retired|pulled out|stepped back|left|quit|resigned|is leaving|collided|was too|were too)"
# Each captures the words of a value that has ceased to hold.
_PAST = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bfrom (?P<past>{_IN}{{1,60}}?) to\b",
        rf"\bvon (?P<past>{_IN}{{1,60}}?) (?:zu|auf|nach)\b",
        rf"\b(?:not|nicht) (?P<past>{_IN}{{1,60}}?)(?=[.!;]|$|,? (?:but|sondern)\b| (?:any ?more|any longer|mehr)\b)",
        rf"\b(?:isn't|aren't|wasn't|don't|doesn't|do not|does not) (?P<past>{_IN}{{1,60}}?) (?:any ?more|any longer)\b",
        rf"\b(?:kein\w*) (?P<past>{_IN}{{1,40}}?) mehr\b",
        rf"\bno longer {_SPAN}",
        rf"\b(?:instead of|rather than|in place of|anstatt|anstelle von|statt) {_SPAN}",
        rf"\b(?:replac(?:es?|ed|ing)|ersetzt) {_SPAN}",
        rf"\brenamed (?P<past>{_IN}{{1,40}}?) (?:to|of|in)\b",
        rf"\b(?:goodbye|farewell|bye|dropp?ed|dropping|sold|ditched|abandoned|scrap|scrapped|gave up|given up|quit|left|stopped"
        rf"|closed|threw|deprecated|removed|cancell?ed|moved away from|away from|i'm off|we're off|used to be|used to|formerly"
        rf"|previously|früher|verkauft|gekündigt|aufgegeben) {_SPAN}",
        rf"(?:^|[.,;:!?] ?|\band )(?P<past>{_IN}{{1,40}}?) {_GONE}\b",
        rf"(?:^|[.,;:!?] ?|\band )(?P<past>{_IN}{{1,40}}?) {_LEFT}\b",
        rf"(?P<past>{_IN}{{1,40}}?) (?:was|were|wurde|has been) (?:replaced|superseded|ersetzt|abgelöst)\b",
    )
]
_WORD = re.compile(r"[^\W_]+(?:[-_./:@+,][^\W_]+)*")
_SUFFIX = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)$")


class Reading(NamedTuple):
    """What a sentence does."""

    states: bool  # says how something is, rather than to ask, to want or to plan it
    changes: bool  # says that something is different now, or over
    happened: bool  # tells of something that was done or lived through once
    past: frozenset[str]  # content words of values that it says have ceased to hold


def read_sentence(text: str) -> Reading:
    """Read a statement by its words alone."""
    past: set[str] = set()
    for pattern in _PAST:
        for found in pattern.finditer(text):
            past |= topic_words(found["past"])
    changes = bool(past) or _NOW.search(text) is not None
    return Reading(
        states=_ASKS.search(text) is None and _PLANS.search(text) is None,
        changes=changes,
        happened=not changes and _HAPPENED.search(text) is not None,
        past=frozenset(past),
    )


def topic_words(text: str) -> frozenset[str]:
    """The different content words of a text, without endings; names with hyphens, dots or slashes stay whole."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_SUFFIX.sub("", word) for word in found if word not in STOP_WORDS and len(word) > 1)
