"""Which of the items that were given for a question a note corrects. Pure.

Several may have been given of which one misled the agent. An item is corrected where it tells what the note tells,
and tells it otherwise. In doubt it is not: a mute keeps its words from every agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model.function_words import FUNCTION_WORDS
from memoro.model.message_kinds import is_order
from memoro.model.phrases import compiled
from memoro.model.sentence_ends import split_sentences
from memoro.model.sentences import past_words, read_sentence, topic_words
from memoro.model.standing_rules import states_rule
from memoro.search.answer_kind import holds_what_is_asked, kind_asked
from memoro.search.compared_statements import specific_words

_NAMES_A_THING = 2  # words: "the backup runs at 4" names one, and "every 15 minutes" does not
_NAMES_BY_ITSELF = 3  # words of a note that is understood without a question
_ARTICLE = r"\W*(?:the|our|my|der|die|das|unser\w*|mein\w*)\b"
_MOSTLY = 0.7  # the share of a question's content words that a statement about it has


# Words of questions that name nothing: "how often", "which port does it use".
_ASKING = topic_words(" ".join(FUNCTION_WORDS)) | topic_words(
    "often long old use uses used currently oft lange nutzt"
)


def corrects(note: str, question: str, given: str) -> bool:
    """Return whether a note on the answer to a question says otherwise than something in a text that was given."""
    said = [one for line in given.split("\n") for one in split_sentences(line) if topic_words(one)]
    if any(_says_value(note, question, one) for one in said):
        return False
    return any(_is_called_past(note, question, one) or _is_about(note, question, one) for one in said)


def _is_called_past(note: str, question: str, said: str) -> bool:
    """Return whether a statement about the question has a value that the note ends: "9443, not 8080"."""
    words = topic_words(said)
    return bool(past_words(note) & words) and bool(topic_words(question) & words)


def _is_about(note: str, question: str, said: str) -> bool:
    """Return whether a statement tells what the note tells: it has the words that note and question share.

    A note that shares none, such as "Every 15 minutes.", is about all that was asked, if both can answer it. One that
    names a thing of its own is about that.
    """
    asked, words = topic_words(question) - _ASKING, topic_words(said)
    is_asked = bool(asked) and len(words & asked) >= _MOSTLY * len(asked)
    if not is_asked or not _value(note, question) or not read_sentence(note).states:
        return False
    if shared := topic_words(note) & asked:
        return shared <= words
    is_own = len(named_words(note) - _value(note, question) - words) > 1
    return not (is_own or states_rule(note) or is_order(note)) and _answer_alike(question, note, said)


def place_meant(note: str, exchanges: Sequence[str]) -> int:
    """Return which of the texts, the newest last, a note is about: mostly the last one.

    A note that states something of which the last one does not speak at all is about the newest that does.
    """
    place = None if speaks_of_another(note, exchanges[-1]) else len(exchanges) - 1
    place = newest_about(note, exchanges) if place is None else place
    return len(exchanges) - 1 if place is None else place


def speaks_of_another(note: str, exchange: str) -> bool:
    """Return whether a note states something of which an exchange does not speak at all."""
    return names_a_thing(note) and not named_words(note) & topic_words(exchange)


def names_a_thing(note: str) -> bool:
    """Return whether a note states something of a thing that it names, and not how to answer."""
    is_statement = read_sentence(note).states and not (states_rule(note) or is_order(note))
    return len(named_words(note)) >= _NAMES_A_THING and is_statement


def newest_about(note: str, exchanges: Sequence[str]) -> int | None:
    """Return the newest of the texts, the last one first, that has at least half of the words that a note names."""
    named = named_words(note)
    fit = (n for n in reversed(range(len(exchanges))) if 2 * len(named & topic_words(exchanges[n])) >= len(named))
    return next(fit, None)


def says_all(note: str) -> bool:
    """Return whether a note says by itself what is right: it names a thing, and the value that it has.

    "Postgres 16 since Monday." does not: without its question, nobody knows what runs there.
    """
    named, values = named_words(note), specific_words(note)
    is_whole = compiled(_ARTICLE).match(note) is not None or len(named - values) >= _NAMES_BY_ITSELF
    return bool(values) and len(named) >= _NAMES_BY_ITSELF and is_whole


def named_words(note: str) -> frozenset[str]:
    """Return the words of a note that name something: no numbers, nothing that it calls past."""
    words = topic_words(note) - past_words(note) - _ASKING
    return frozenset(word for word in words if not any(sign.isdigit() for sign in word))


def _answer_alike(question: str, note: str, said: str) -> bool:
    """Return whether both hold the kind of thing that is asked for; else whether both have a number."""
    texts = (note, said)
    if kind_asked(question):
        return all(holds_what_is_asked(one, question) for one in texts)
    return all(any(word[:1].isdigit() for word in topic_words(one)) for one in texts)


def _says_value(note: str, question: str, said: str) -> bool:
    value = _value(note, question)
    return bool(value) and value <= topic_words(said)


def _value(note: str, question: str) -> frozenset[str]:
    """Return the words of what a note says is right: its names and numbers, else all that were not asked with."""
    others = topic_words(note) - topic_words(question) - past_words(note)
    return (specific_words(note) & others) or others
