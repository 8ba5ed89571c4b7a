"""Read a sentence: does it state something, say that something has changed, and which value does it call past?

Every pattern is a list of English and German words; sentences of other languages are plain statements.
"""

import re
from typing import NamedTuple

from memoro.model.phrases import Phrases, compiled
from memoro.model.remembered import remembered
from memoro.model.words import STOP_WORDS


def _any(*lines: str) -> str:
    """A pattern for any of these phrases; `_` stands for a space within one."""
    return "(?:" + "|".join(phrase.replace("_", " ") for line in lines for phrase in line.split()) + ")"


def _within(words: str, *lines: str) -> tuple[str, str]:
    """These phrases as whole words, with words of which each holds one."""
    return words, rf"\b{_any(*lines)}\b"


# Sentences that ask, want or plan state nothing that holds.
_ASKING = _any("what which who whom whose where when how why", "welche[rsnm]? wer wen wem wo wann wie warum")
_ASKS = Phrases(
    ("?", r"\?[^\w?]*$"),  # one way to match: linear in many question marks
    (
        "what|which|who|where|when|how|why|welche|wer|wen|wem|wo|wann|wie|warum",
        rf"^\W*{_ASKING}\b[^.!,;:]*$",
    ),
)
_PLANS = Phrases(
    _within(
        "should|could|might|want|would|hope|plan|let|maybe|perhaps",
        "(?:we|i|you|they)_(?:should|could|might|want|would|hope|plan) should_(?:we|i) let'?s maybe perhaps",
    ),
    _within(
        "think|consider|plann|going to|'d l|to-do|todo",
        "think(?:ing)?_(?:about|of) consider(?:s|ing)? plann(?:ing|ed)_to going_to (?:i|we)'d_(?:like|love) to-?do",
    ),
    _within(
        "remind me| you|if |i wish|propos",
        "remind_me (?:can|could|would)_you if_(?:we|i|you|they) i_wish propos(?:al|e|ed|ing)",
    ),
    _within(
        "soll|könn|möcht|will|woll|würd|vielleicht|überleg|erwäg|geplant|erinnere|st du",
        "(?:wir|ich|man)_(?:sollten?|könnten?|möchten?|wollen|will|würden?) vielleicht überleg\\w* erwäg\\w* geplant",
        "erinnere_mich (?:kannst|könntest)_du",
    ),
    ("[ ]", r"^\W*\[ \]"),
)
# What somebody did or lived through once. Another such sentence does not take its place.
_DID = (
    "went visited attended saw watched met ate read played tried cooked baked made painted wrote ran hiked swam",
    "celebrated enjoyed heard learned talked spoke told asked gave got_to took_part came flew drove_to slept felt",
    "spent helped finished_reading fixed debugged had_a had_an had_lunch had_dinner had_breakfast had_coffee had_fun",
)
_GETAN = "gegangen besucht gesehen getroffen gegessen gelesen gespielt gekocht gefahren geflogen gefeiert geredet"
_SOMEBODY = r"(?:i|we|he|she|they|(?-i:[A-Z])\w+)(?:'ve| have| has| had)?"
_HAPPENED = Phrases(
    (
        " ".join(_DID).replace(" ", "|").replace("_", " "),
        rf"(?:^\W*|\b{_SOMEBODY}(?: (?:just|also|recently|finally|even|once|never))? ){_any(*_DID)}\b",
    ),
    (
        _GETAN.replace(" ", "|"),
        rf"\b(?:ich|wir|er|sie) (?:habe?n?|hat|bin|ist|sind|war(?:en)?)\b.*\b{_any(_GETAN)}\b",
    ),
)
_CHANGES = Phrases(
    _within(
        "now|these days|as of|from |new|no longer|any",
        "now nowadays these_days from_now_on as_of from_(?:today|tomorrow|monday|this|next) new no_longer any_?more",
        "any_longer",
    ),
    _within(
        "since|instead|rather|correct",
        "since_(?:today|yesterday|this|last|the|\\w+day|\\d) instead rather_than correct(?:ed|ion)",
    ),
    _within(
        "change|switch|move|migrat|replace|rename|raised|lowered|cut |took over|takes over",
        "changed? switched moved migrated replace[sd]? renamed raised lowered cut_(?:to|over) took_over takes_over",
    ),
    _within(
        "ported|goodbye|stepped|gave up|dropped|scrap|cancel|called off|forget|undecided|unknown|decided|decision",
        "ported goodbye stepped_down gave_up dropped scrap(?:ped)? cancell?ed called_off forget_what undecided",
        "unknown_again decided decision",
    ),
    _within(
        "jetzt|nun|neue|ab sofort|seit|mehr|statt|gewechselt",
        "jetzt nun neuerdings ab_sofort seit neue[rsnm]? nicht_mehr kein\\w*_\\w+_mehr stattdessen statt gewechselt",
    ),
    _within(
        "umgezogen|umgestellt|ersetzt|umbenannt|abgesagt|entschieden",
        "umgezogen umgestellt ersetzt umbenannt abgesagt entschieden",
    ),
)

# A character of a value, such as "65,000 euros", "9:15" or "Dr. Molina".
_IN = r"(?:[^.,;:!?()]|[.,:](?=\d)|(?<=\b[DMS][rt])\.)"
_VALUE = rf"(?P<past>{_IN}{{1,60}}?)"
_CLOSES = r"[.,:](?<!\b[DMS][rt]\.)(?!\d)"  # a sign that stands within no such value
_NEXT = r"(?:any ?more|any longer|but|and|for|to|with|by|under|as|since|mehr|sondern|und|durch|nach)\b"
_END = rf"(?=[;!?)]|{_CLOSES}|$| {_NEXT})"
_START = r"(?:^|[.,;:!?] ?|\band )"
_LEAVING = _any(
    "goodbye farewell bye dropp?ed dropping sold ditched abandoned scrap scrapped gave_up given_up quit left stopped",
    "closed threw deprecated removed cancell?ed moved_away_from away_from i'm_off we're_off used_to_be used_to",
    "formerly previously früher verkauft gekündigt aufgegeben",
)
_IS_GONE = r"(?:is|are|was|were|has been|ist|sind|wurde)(?: now| all| finally)? " + _any(
    "dead gone frozen history retired closed uninstalled off over wrong out obsolete deprecated no_more",
    "weg tot vorbei abgeschaltet falsch geschlossen",
)
_HAS_LEFT = _any(
    "stepped_down retired pulled_out stepped_back left quit resigned is_leaving collided was_too were_too"
)
_NOT = r"(?:not|nicht)"
_IS_NOT = r"(?:isn't|aren't|wasn't|don't|doesn't|do not|does not)"
# Each captures the words of a value that has ceased to hold, and is tried where one of the words before it stands.
_PAST = [
    (tuple(words.split()), pattern)
    for words, pattern in (
        ("from ", rf"\bfrom {_VALUE} to\b"),
        ("von ", rf"\bvon {_VALUE} (?:zu|auf|nach)\b"),
        (
            "not nicht",
            rf"\b{_NOT} {_VALUE}(?=[!;]|(?![,:]){_CLOSES}|$|,? (?:but|sondern)\b| (?:any ?more|any longer|mehr)\b)",
        ),
        ("n't not", rf"\b{_IS_NOT} {_VALUE} (?:any ?more|any longer)\b"),
        ("kein", rf"\bkein\w* {_VALUE} mehr\b"),
        ("longer", rf"\bno longer {_VALUE}{_END}"),
        (
            "instead rather place statt anstelle",
            rf"\b(?:instead of|rather than|in place of|(?:an)?statt|anstelle von) {_VALUE}{_END}",
        ),
        ("replac ersetzt", rf"\b(?:replac(?:es?|ed|ing)|ersetzt) {_VALUE}{_END}"),
        # "We renamed atlas to meridian" does not end what was said about atlas.
        ("renamed", rf"\brenamed {_VALUE} (?:of|in)\b"),
        (
            "bye farewell drop sold ditched abandon scrap gave given quit left stopp closed threw deprecated removed"
            " cancel away 'm 're used formerly previously früher verkauft gekündigt aufgegeben",
            rf"\b{_LEAVING} {_VALUE}{_END}",
        ),
        (
            "dead gone frozen history retired closed uninstalled off over wrong out obsolete deprecated more weg tot"
            " vorbei abgeschaltet falsch geschlossen",
            rf"{_START}{_VALUE} {_IS_GONE}\b",
        ),
        ("stepped retired pulled left quit resigned leaving collided too", rf"{_START}{_VALUE} {_HAS_LEFT}\b"),
        ("~~", r"~~(?P<past>[^~]{1,80})~~"),
        (
            "replaced superseded ersetzt abgelöst",
            rf"{_VALUE} (?:was|were|wurde|has been) (?:replaced|superseded|ersetzt|abgelöst)\b",
        ),
    )
]
# Words that carry no topic. Those of English are dropped everywhere.
_GERMAN = frozenset(
    [
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "eines",
        "und",
        "oder",
        "aber",
        "ist",
        "sind",
        "war",
        "waren",
        "bin",
        "hat",
        "habe",
        "haben",
        "hatte",
        "wird",
        "werden",
        "wurde",
        "ich",
        "du",
        "er",
        "sie",
        "es",
        "wir",
        "ihr",
        "mein",
        "meine",
        "meinen",
        "meiner",
        "mir",
        "mich",
        "unser",
        "unsere",
        "uns",
        "sein",
        "seine",
        "ihre",
        "im",
        "in",
        "am",
        "an",
        "auf",
        "aus",
        "bei",
        "für",
        "mit",
        "nach",
        "von",
        "vom",
        "zu",
        "zum",
        "zur",
        "unter",
        "über",
        "nicht",
        "mehr",
        "jetzt",
        "nun",
        "noch",
        "auch",
        "nur",
        "schon",
        "wie",
        "was",
        "wer",
        "wo",
        "wann",
        "heißt",
        "seit",
        "ab",
        "sofort",
        "neu",
        "neue",
        "neuer",
        "neues",
        "dass",
        "als",
        "so",
    ]
)
_NO_TOPIC = STOP_WORDS | _GERMAN
_WORD = re.compile(r"[^\W_]+(?:[-_./:@+,][^\W_]+)*")
_SUFFIX = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)$")


class SentenceReading(NamedTuple):
    """What a sentence does."""

    states: bool  # says how something is, rather than to ask, to want or to plan it
    changes: bool  # says that something is different now, or over
    happened: bool  # tells of something that was done or lived through once
    past: frozenset[str]  # content words of values that it says have ceased to hold


@remembered(1024)
def read_sentence(text: str) -> SentenceReading:
    """Read a statement by its words alone."""
    past = past_words(text)
    changes = bool(past) or _CHANGES.are_in(text)
    return SentenceReading(
        states=not _ASKS.are_in(text) and not _PLANS.are_in(text),
        changes=changes,
        happened=not changes and _HAPPENED.are_in(text),
        past=past,
    )


@remembered(1024)
def past_words(text: str) -> frozenset[str]:
    """The content words of the values that a sentence says have ceased to hold: "X, not Y", "from Y to X"."""
    lower = text.lower()
    found: set[str] = set()
    for words, pattern in _PAST:
        if any(word in lower for word in words):
            found.update(*(topic_words(match["past"]) for match in compiled(pattern).finditer(text)))
    return frozenset(found)


@remembered(2048)
def topic_words(text: str) -> frozenset[str]:
    """The different content words of a text, without endings; names with hyphens, dots or slashes stay whole."""
    found = set(map(_topic, _WORD.findall(text)))
    found.discard("")
    return frozenset(found)


def count_topics(wanted: frozenset[str], text: str) -> int:
    """Return how many of these content words, as `topic_words` returns them, a text has."""
    lower = text.lower()
    may_have = any(word in lower for word in wanted)  # most lines have none, and need no closer look
    return len(wanted & topic_words(text)) if may_have else 0


@remembered(16_384)
def _topic(word: str) -> str:
    """The word without its ending; empty where it carries no topic."""
    lower = word.lower()
    return "" if lower in _NO_TOPIC or len(lower) < 2 else _SUFFIX.sub("", lower)
