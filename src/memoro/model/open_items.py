"""Which open items of past sessions are still open: not told again later, and not closed by a later session. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from memoro.model.content_words import content_words
from memoro.model.phrases import compiled
from memoro.model.remembered import remembered
from memoro.model.session_digest import SessionDigest
from memoro.model.time_hints import may_name_time

# Words of a statement that something was done, and words with which it says the opposite or speaks of later.
_DONE = frozenset(
    {
        "done", "gone", "finished", "completed", "removed", "deleted", "dropped", "written", "wrote", "sent",
        "merged", "shipped", "released", "deployed", "fixed", "solved", "resolved", "closed", "cleared",
        "approved", "confirmed", "signed", "answered", "decided", "moved", "migrated", "upgraded", "updated",
        "replaced", "renamed", "added", "created", "made", "built", "enabled", "disabled", "rolled", "published",
        "paid", "booked", "ordered", "tested", "checked", "reviewed", "installed", "uninstalled", "documented",
        "committed", "corrected", "bought", "cancelled",
        "canceled", "obsolete", "passes", "works", "erledigt", "fertig", "gelöscht", "entfernt",
        "weg", "geschrieben", "verschickt", "gesendet", "gemergt", "ausgeliefert", "veröffentlicht", "behoben",
        "gelöst", "geschlossen", "genehmigt", "freigegeben", "bestätigt", "beantwortet", "entschieden",
        "umgezogen", "ersetzt", "umbenannt", "hinzugefügt", "angelegt", "erstellt", "gebaut", "eingerichtet",
        "aktiviert", "deaktiviert", "bezahlt", "gebucht", "bestellt", "getestet", "geprüft", "installiert",
        "dokumentiert", "abgesagt", "entfällt",
    }
)  # fmt: skip
_NOT_DONE = frozenset(
    {
        "not", "isn't", "aren't", "wasn't", "still", "until", "before", "wait", "waits", "nicht", "noch", "kein",
        "keine", "bis", "bevor", "wartet", "must", "should", "muss", "müssen", "soll", "sollen", "sollte",
    }
)  # fmt: skip
_REMOVE = frozenset(
    {
        "remove", "delete", "drop", "uninstall", "destroy", "rm", "rmi", "prune", "entfernen", "löschen",
        "deinstallieren", "abschaffen", "abschalten",
    }
)  # fmt: skip
# How an order begins. Orders to look at something are none: their answers tell how it is.
_ANY_WORK = frozenset({"do", "finish", "complete", "carry", "mach", "mache", "erledige"})
_CHANGING = frozenset(
    {
        "fix", "make", "solve", "change", "update", "improve", "set", "correct", "raise", "lower", "use", "replace",
        "turn", "implement", "refactor", "behebe", "korrigiere", "ändere", "setz", "setze", "löse", "ersetz",
        "ersetze",
    }
)  # fmt: skip
_ORDERS = _ANY_WORK | _CHANGING | {
    "remove", "delete", "drop", "write", "send", "merge", "ship", "release", "deploy", "close", "move", "migrate",
    "upgrade", "rename", "add", "create", "build", "enable", "disable", "publish", "pay", "book", "install",
    "document", "cancel", "draft", "bump", "clean", "lösch", "lösche", "entferne", "schreib", "schreibe", "schick",
    "schicke", "erstell", "erstelle", "bau", "baue", "füg", "füge", "leg", "lege", "installier", "installiere",
    "veröffentliche",
}  # fmt: skip
# Words before the verb of an order.
_BEFORE_ORDER = frozenset(
    {
        "please", "pls", "now", "then", "and", "also", "so", "ok", "okay", "yes", "good", "let's", "can", "could",
        "you", "we", "bitte", "jetzt", "dann", "und", "ja", "gut", "kannst", "du",
    }
)  # fmt: skip
_RESULT = (" now", " is in ", " are in ", " is on ", " are on ", " is live", " jetzt ", " ist in ", " sind in ")
_LATER = frozenset({"tomorrow", "later", "next", "tonight", "morgen", "später", "nächste", "nächsten"})
_SUPPOSED = frozenset({"will", "would", "if", "once", "wird", "werden", "wenn", "falls", "sobald"})
# What names no thing: a day with its month, a time, a decimal, a ratio.
_DATES = (
    r"\b\d{1,2}(?:st|nd|rd|th|\.)? (?:of )?(?:jan|feb|m[aä]r|apr|ma[iy]|ju[nl]|aug|sep|o[ck]t|nov|de[cz])\w*|"
    r"\b(?:jan|feb|m[aä]r|apr|ma[iy]|ju[nl]|aug|sep|o[ck]t|nov|de[cz])\w* \d{1,2}\b|\b\d+(?:[.,:/]\d+)+\b"
)
# Words that say what is to be done, or when: a statement that it was done says them in another way.
_PLANNED = frozenset(
    {
        "open", "still", "todo", "leave", "postpone", "defer", "now", "jetzt",
        "isn", "aren", "wasn", "hasn", "haven", "doesn", "don",
        "remove", "delete", "drop", "write", "send", "merge", "ship", "release",
        "deploy", "fix", "solve", "close", "approve", "confirm", "decide", "move", "migrate", "upgrade", "update",
        "replace", "rename", "add", "create", "make", "build", "set", "turn", "enable", "disable", "publish",
        "pay", "book", "order", "test", "check", "review", "install", "document", "cancel", "ask", "tell", "wait",
        "waits", "waiting", "need", "needs", "next", "week", "today", "tomorrow", "later", "soon", "monday",
        "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "morning", "evening", "month", "must",
        "first", "last", "fresh", "new", "old", "offen", "noch", "löschen", "entfernen", "schreiben", "senden",
        "schicken", "mergen", "beheben", "lösen", "klären", "prüfen", "testen", "fragen", "bestätigen",
        "entscheiden", "ersetzen", "umbenennen", "hinzufügen", "anlegen", "erstellen", "bauen", "einrichten",
        "morgen", "heute", "nächste", "woche", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "muss",
        "müssen", "soll", "the", "der", "die", "das", "den", "dem", "ein", "eine", "und", "für", "mit", "von",
        "zum", "zur", "bis", "vor", "auf", "aus", "ist", "wird", "werden", "nicht",
    }
)  # fmt: skip
_NOT_GERMAN = frozenset(
    {
        "written", "broken", "taken", "given", "chosen", "open", "seen", "been", "driven", "spoken", "forgotten",
        "hidden", "frozen", "proven", "token", "screen", "green", "ten", "then", "when", "listen", "happen", "often",
        "children", "garden", "kitchen", "pattern", "modern", "concern", "even",
    }
)  # fmt: skip
_SAME = 0.6  # share of the words of the shorter of two items that tell the same
_COVERED = 0.6  # share of the words of an item that a statement about it holds
_TELLING = 2  # words that say what an item of an earlier session is about
_DAYS = 30  # after which an open item of an earlier session is no longer told
_NEXT_DAY = ("today", "tomorrow", "tonight", "heute", "morgen")
_MARKS = ".,;:!?()`\"'"
FAILED = "→ failed"  # in the line of a command
_ROOT = 5  # letters by which forms of one word are compared


class ToldItems(NamedTuple):
    """The digest of a session and the day on which it ended."""

    digest: SessionDigest
    day: date


class OpenItem(NamedTuple):
    """Something that is left to do or to decide."""

    session: int  # where it was told last: its place among the sessions
    text: str


def still_open(sessions: Sequence[ToldItems]) -> list[OpenItem]:
    """Return what is still open after these sessions, the newest of which comes first.

    An item that a later session tells again counts as the later one's. One is closed where a later session says
    that the same thing was done or was about it, and where it names a day after which there was another session.
    Items of earlier sessions count for a month, and only if they say what they are about and are no questions.
    """
    found: list[OpenItem] = []
    told: list[frozenset[str]] = []
    said: list[str] = []
    removed: set[str] = set()
    finished: list[frozenset[str]] = []
    for number, (digest, day) in enumerate(sessions):
        last = sessions[0].day
        for text in digest.open:
            about = _about(text)
            if any(_is_same(about, other) for other in told):
                continue
            told.append(about)
            if number and (len(about) < _TELLING or (last - day).days > _DAYS or _is_past(text, day, last)):
                continue
            if number and text.rstrip().endswith(("?", "？")):
                continue  # a question of an earlier session: nobody says where it was answered
            is_finished = any(_is_covered(_thing(text), title) or title <= about for title in finished)
            is_closed = is_finished or any(closes(statement, text) for statement in said)
            if not is_closed and not _is_removed(text, removed):
                found.append(OpenItem(number, text))
        said += _statements(digest)
        finished += _finished(digest)
        removed |= _removed_by(digest.commands)
    return found


def _is_past(text: str, told: date, last: date) -> bool:
    """Return whether an item names days, and there was a session after all of them."""
    if not may_name_time(text):
        return False
    from memoro.model.said_dates import said_dates  # patterns and all: seldom needed

    if any(word in text.lower() for word in _NEXT_DAY):
        return last > told + timedelta(days=1)
    days = [_coming(span.last, told) for span in said_dates(text, told)]
    return max(days, default=date.max) < last


def _coming(day: date, told: date) -> date:
    """Return the day of a plan: one without a year, which is taken for the last such day, is still to come."""
    is_long_ago = told - day > timedelta(days=183) and day.year == told.year - 1
    return day + timedelta(days=365) if is_long_ago else day


def _statements(digest: SessionDigest) -> tuple[str, ...]:
    return (*digest.title.split(";"), *digest.decisions, *digest.errors)


def closes(statement: str, item: str) -> bool:
    """Return whether a later statement says that an item was done: it is about the same thing, which is "gone"."""
    if statement.rstrip().endswith(("?", "？")) or not _is_covered(_thing(item), _about(statement)):
        return False
    words = _words(statement.lower())
    named = content_words(item)
    verbs = {word[:_ROOT] for word in named}
    is_did = any(word.endswith("ed") and word[:_ROOT] in verbs for word in words - named)  # "speed" is no verb
    return (is_did or not words.isdisjoint(_DONE)) and words.isdisjoint(_NOT_DONE | _LATER | _SUPPOSED)


def carried_out(order: Sequence[str], answer: Sequence[str], item: str) -> bool:
    """Return whether an answer reports that it did what the sentences of an order asked, which was the item.

    The answer's first sentence must report it, and no other may say that something of it is left.
    """
    thing = _thing(item)
    if not answer or not is_ordered(order, item):
        return False
    first = answer[0].lower()
    is_done = not _words(first).isdisjoint(_DONE) or any(mark in f" {first.rstrip(_MARKS)} " for mark in _RESULT)
    return is_done and not any(_is_about_rest(sentence, thing, n) for n, sentence in enumerate(answer))


def is_ordered(order: Sequence[str], item: str) -> bool:
    """Return whether one of these sentences orders the work of an item."""
    thing = _thing(item)
    return any(_orders(sentence, thing, item) for sentence in order)


def _is_about_rest(sentence: str, thing: frozenset[str], number: int) -> bool:
    """Return whether a sentence of an answer says that something of a thing is left; of the first, it is."""
    is_left = not _words(sentence.lower()).isdisjoint(_NOT_DONE | _LATER) or sentence.rstrip().endswith("?")
    return is_left and (not number or not thing.isdisjoint(_about(sentence)))


def _orders(sentence: str, thing: frozenset[str], item: str) -> bool:
    """Return whether a sentence orders an item's work now."""
    words, verb, own = _words(sentence.lower()), _verb(sentence), _verb(item)
    # "Document the port" is other work than "change the port"; in "release notes", "release" is no verb.
    fits = own == verb or verb in _ANY_WORK or {own, verb} <= _CHANGING
    is_other = bool(own) and own not in words and not fits
    return bool(verb) and not is_other and words.isdisjoint(_LATER) and _is_covered(thing, _about(sentence))


def _verb(sentence: str) -> str:
    """Return the verb with which an order begins; empty where it is none."""
    words = (word.strip(_MARKS) for word in sentence.lower().split())
    first = next((word for word in words if word not in _BEFORE_ORDER), "")
    return first if first in _ORDERS else ""


def _words(text: str) -> set[str]:
    return {word.strip(_MARKS) for word in text.split()}


@remembered(256)
def _thing(item: str) -> frozenset[str]:
    """Return the roots of the words that name the thing, without a German verb at the end: "das Tor streichen"."""
    about = _about(compiled(_DATES).sub(" ", item)) or _about(item)
    last = item.split()[-1].strip(_MARKS) if item.split() else ""
    is_verb = last.islower() and last.endswith(("en", "ern", "eln")) and last not in _NOT_GERMAN
    return (about - {last[:_ROOT]} or about) if is_verb else about


def _finished(digest: SessionDigest) -> list[frozenset[str]]:
    """Return what a session was about by its title, unless a command of it failed in the end: then it goes on."""
    title = _about(digest.title)
    return [title] if len(title) >= _TELLING and not any(FAILED in line for line in digest.commands) else []


def _is_removed(item: str, removed: set[str]) -> bool:
    """Return whether something was to be removed that a later command has removed."""
    words = content_words(item)
    return not words.isdisjoint(_REMOVE) and not words.isdisjoint(removed)


def _removed_by(commands: Sequence[str]) -> set[str]:
    """Return the words of commands that remove something, such as `helm uninstall traefik`."""
    each = (content_words(command.partition("→")[0]) for command in commands)
    return {word for words in each if not words.isdisjoint(_REMOVE) for word in words - _REMOVE if len(word) > 3}


@remembered(1024)
def _about(text: str) -> frozenset[str]:
    """Return the roots of the words that name the thing."""
    return frozenset(word[:_ROOT] for word in content_words(text) - _PLANNED if len(word) > 2 or word.isdigit())


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) >= _SAME * shorter and len(one & other) >= min(2, shorter)


def _is_covered(item: frozenset[str], statement: frozenset[str]) -> bool:
    return bool(item) and len(item & statement) >= _COVERED * len(item)
