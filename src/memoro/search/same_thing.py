"""Statements about the same thing: the newest leads, and an older one names what replaced it.

Two statements are about the same thing if they have the same subject and tell the same attribute of it, or say
nearly the same apart from their values. To lead takes less evidence than to be marked as older: a mark says that
something is no longer true.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.model.memories import UNTRUSTED, may_supersede
from memoro.model.statements import Reading, read_sentence, topic_words

if TYPE_CHECKING:
    from memoro.model.vocabulary import Trust
    from memoro.providers.ports import Vectors

# Cosine and half of the shared words. Of pairs with the same subject, above the first hardly any is about different
# things; above the second nearly all are about the same.
ALIKE = 0.45
NEARLY_THE_SAME = 0.6
STEP = 6.0  # how far the total of the newest may lie behind the best of its group
LOOKED_AT = 40  # of the candidates, how many are compared

Why = Literal["attribute", "alike", "names it", "marked", "ledger"]


class Moment(NamedTuple):
    """When something was said: the day, and the place in its file, where lower is later."""

    day: str | None
    path: str
    line: int


class Statement(NamedTuple):
    """A candidate, or that line of it which answers the query, as it is compared with others."""

    text: str
    words: frozenset[str]  # content words, without those of the subject
    subjects: frozenset[str]
    attributes: frozenset[str]
    said: Moment
    total: float
    trust: "Trust | None" = None  # of a memory
    outdated: bool = False  # its note says that it does not hold


class Older(NamedTuple):
    """The candidate that replaced an older one, and how that is known."""

    by: int
    why: Why


class Arrangement(NamedTuple):
    """The candidates in their new order; those raised, each with the one it was raised over; the older ones."""

    order: tuple[int, ...]
    raised: Mapping[int, int]
    older: Mapping[int, Older]


def is_later(one: Moment, other: Moment) -> bool:
    """Return whether something was surely said later. Within a file of one day, lower is later."""
    if one.path == other.path and one.day == other.day:
        return one.line > other.line
    return one.day is not None and other.day is not None and one.day > other.day


def may_displace(newer: "Trust | None", older: "Trust | None") -> bool:
    """Return whether the trust suffices: among memories equal or higher, and nothing untrusted before a note."""
    if newer is not None and older is not None:
        return may_supersede(newer, older)
    return newer not in UNTRUSTED


def arrange(statements: Sequence[Statement], cosines: "Vectors", as_of: str) -> Arrangement:
    """Put the newest statement of each group before the others, and name what replaced the older ones.

    `statements` are in the order of their totals, `cosines` are those of their texts without the subjects. What was
    said after `as_of` replaces nothing.
    """
    links = _links(statements[:LOOKED_AT], cosines)
    order, raised = list(range(len(statements))), {}
    older: dict[int, Older] = {}
    for group in _groups(links):
        found = _Group(statements, group, links, as_of)
        older |= found.older()
        leader = found.leader()
        first = min(group)
        if leader is not None and leader != first:
            order.remove(leader)
            order.insert(order.index(first), leader)
            raised[leader] = first
    for one in sorted(older, key=lambda i: statements[i].said.day or ""):
        by = older[one].by
        if order.index(by) > order.index(one):
            order.remove(by)
            order.insert(order.index(one), by)
            raised[by] = one
    return Arrangement(tuple(order), raised, older)


class _Link(NamedTuple):
    """How two statements belong together. A strong one says that they are about the same attribute."""

    why: Why
    strong: bool


_Links = dict[int, dict[int, _Link]]


def _links(statements: Sequence[Statement], cosines: "Vectors") -> _Links:
    links: _Links = {}
    for i, one in enumerate(statements):
        for j in range(i):
            if link := _link(one, statements[j], float(cosines[i, j])):
                links.setdefault(i, {})[j] = link
                links.setdefault(j, {})[i] = link
    return links


def _link(one: Statement, other: Statement, cosine: float) -> _Link | None:
    if not _same_subject(one, other):
        return None
    if one.attributes and other.attributes:
        return _Link("attribute", strong=True) if one.attributes & other.attributes else None
    near = cosine + 0.5 * _overlap(one.words, other.words)
    return _Link("alike", strong=near >= NEARLY_THE_SAME) if near >= ALIKE else None


def _same_subject(one: Statement, other: Statement) -> bool:
    return one.subjects == other.subjects or not one.subjects.isdisjoint(other.subjects)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of the shorter one that both have."""
    return len(one & other) / max(1, min(len(one), len(other)))


def _groups(links: _Links) -> list[list[int]]:
    """The groups of linked statements, each in order, the best first."""
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start in sorted(links):
        if start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            more = links[waiting.pop()].keys() - group
            group |= more
            waiting += more
        seen |= group
        groups.append(sorted(group))
    return groups


class _Group:
    """One group of linked statements, read when it is needed: to read a sentence takes time."""

    def __init__(self, statements: Sequence[Statement], members: Sequence[int], links: _Links, as_of: str) -> None:
        self._statements, self._members, self._links, self._as_of = statements, members, links, as_of
        self._readings: dict[int, Reading] = {}

    def _read(self, i: int) -> Reading:
        if i not in self._readings:
            self._readings[i] = read_sentence(self._statements[i].text)
        return self._readings[i]

    def leader(self) -> int | None:
        """The newest that states something, not far behind the best; None where nothing is newer than the best."""
        first = self._members[0]
        best = self._statements[first]
        leader = first
        for i in self._members[1:]:
            one, now = self._statements[i], self._statements[leader]
            if one.total < best.total - STEP or not self._may_lead(one, i):
                continue
            if (is_later(one.said, now.said) or (now.outdated and not one.outdated)) and may_displace(
                one.trust, now.trust
            ):
                leader = i
        return leader

    def _may_lead(self, one: Statement, i: int) -> bool:
        if one.outdated or (one.said.day is not None and one.said.day > self._as_of):
            return False
        reading = self._read(i)
        return reading.states and not reading.happened

    def older(self) -> dict[int, Older]:
        """Each member that a newer one replaces, with the newest that surely does."""
        found: dict[int, Older] = {}
        for i in self._members:
            for j in self._members:
                if j != i and (why := self._why_replaced(i, j)):
                    known = found.get(i)
                    if known is None or is_later(self._statements[j].said, self._statements[known.by].said):
                        found[i] = Older(j, why)
        return found

    def _why_replaced(self, i: int, j: int) -> Why | None:
        """Say why statement j surely took the place of statement i; None where it may not have."""
        old, new = self._statements[i], self._statements[j]
        if not is_later(new.said, old.said) or not may_displace(new.trust, old.trust):
            return None
        if not self._may_lead(new, j) or not self._read(i).states or self._read(i).happened:
            return None
        reading = self._read(j)
        if reading.past & values(old):
            return "names it"
        if not (link := self._links[i].get(j)) or not link.strong or shares_value(old, new, reading.past):
            return None
        if link.why == "attribute" or reading.changes:
            return link.why
        return None


_SPECIFIC = re.compile(r"[^\W_]*\d[\w./:,-]*\w|\d|[^\W_]+(?:[-_./:@+][^\W_]+)+|(?<![.!?:] )(?<!^)\b[A-Z]\w+")


def values(statement: Statement) -> frozenset[str]:
    """The words of a statement that can be its value: names and numbers where it has any, else all."""
    return _named(statement) or statement.words


def _named(statement: Statement) -> frozenset[str]:
    found = {word for part in _SPECIFIC.findall(statement.text) for word in topic_words(part)}
    return frozenset(found & statement.words)


def shares_value(old: Statement, new: Statement, past: frozenset[str] = frozenset()) -> bool:
    """Return whether the two may say the same: a repetition or a detail more replaces nothing."""
    if old.words <= new.words or new.words <= old.words:
        return True
    named, renamed = _named(old), _named(new)
    if named and renamed:
        return not (named & renamed).isdisjoint(named - past)
    return False
