"""Statements about the same thing: the newest leads, and an older one names what replaced it.

Two statements are about the same thing if they have the same subject and tell the attribute that is asked for, or say
nearly the same apart from their values. To lead takes less evidence than to be marked as older: a mark says that
something is no longer true.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from memoro.model.answers import ReplacedWhy
from memoro.model.sentences import past_words, read_sentence, topic_words
from memoro.search.compared_statements import (
    Statement,
    ends,
    is_later,
    is_newer,
    may_displace,
    only_ends,
    repeats,
    shares_value,
    slots_between,
    specific_words,
)

# The cosine and half of the shared words. Of pairs with the same subject, above the first hardly any is about
# different things; above the second nearly all are about the same.
ALIKE = 0.5
NEARLY_THE_SAME = 0.6
APART = 0.7  # what it takes where both tell attributes, and no common one
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|ich|Ich)\b")
# "I moved to Outline for my notes" and "I live with two cats" name no home.
_NO_HOME = re.compile(r"\bmoved to .{1,30} (?:for|as)\b|\blive with\b(?!.*\b(?:in|at|near)\b)", re.IGNORECASE)
_CHANGES = 3  # how often the newest may itself be replaced: what is near to something near may be about another thing
STEP = 8.0  # how far the total of the newest may lie behind the best of its group
# "replaced": the newest of those that something newer replaced. "best": whichever fits the words best.
WhichStatement = Literal["newest", "replaced", "first", "best"]


class StatementPair(NamedTuple):
    """Two statements of the same subject, by their places, and how near what they say about it is."""

    one: int
    other: int
    near: float


class AskedFor(NamedTuple):
    """What a query asks for: attributes, the last day that counts, which statement about a thing, and its words.

    `names` are the words that name its subjects; `words` are the others.
    """

    attributes: frozenset[str] = frozenset()
    as_of: str = "9999-12-31"
    which: WhichStatement = "newest"
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


class Older(NamedTuple):
    """The place of the statement that replaced an older one, and how that is known."""

    by: int
    why: ReplacedWhy
    text: str = ""  # what that one says


class Arrangement(NamedTuple):
    """The places in their new order; those raised, each with the one it was raised over; the older ones."""

    order: tuple[int, ...]
    raised: Mapping[int, int]
    older: Mapping[int, Older]
    older_in_part: frozenset[int] = frozenset()  # those of several lines, of which the one that answers is older


UNCHANGED = Arrangement((), {}, {})
NOTHING_KNOWN: Mapping[int, Older] = MappingProxyType({})


def lifted(arranged: Arrangement, totals: Sequence[float]) -> list[float]:
    """The totals, those that were raised at least as high as what they were raised over."""
    found = list(totals)
    for one in reversed(arranged.order):
        if one in arranged.raised:
            found[one] = max(found[one], found[arranged.raised[one]])
    return found


def best_of(arranged: Arrangement, sure: Sequence[float]) -> list[int]:
    """For each place, whose confidence it has: its own, or that of one it was raised over if that is higher."""
    found = list(range(len(sure)))
    for one in reversed(arranged.order):
        over = found[arranged.raised.get(one, one)]
        if sure[over] > sure[one]:
            found[one] = over
    return found


def arrange(
    statements: Sequence[Statement],
    pairs: Iterable[StatementPair],
    asked: AskedFor,
    known: Mapping[int, Older] = NOTHING_KNOWN,
) -> Arrangement:
    """Put the newest statement of each group before the others, and name what replaced the older ones.

    `statements` are in the order of their totals; `pairs` are those with the same subject that share anything.
    `known` are older ones of which the ledger knows what replaced them.
    """
    links = _links(statements, pairs, asked)
    leaders: dict[int, int] = {}
    older: dict[int, Older] = {}
    for members in _groups(links):
        group = _Group(statements, members, links, asked)
        older |= group.older()
        leaders[members[0]] = group.leader()
    order = _Order(leaders, {**older, **known}, newest_first=asked.which == "newest")
    for place in range(len(statements)):
        order.add(place)
    return Arrangement(tuple(order.places), order.raised, order.older)


class _Order:
    """The places in order: the leader of a group before its best, and what replaced an older one before that one.

    Where older statements are asked for, the leaders alone move.
    """

    def __init__(self, leaders: Mapping[int, int], older: Mapping[int, Older], *, newest_first: bool) -> None:
        self._leaders, self.older, self._newest_first = leaders, dict(older), newest_first
        self.places: list[int] = []
        self.raised: dict[int, int] = {}
        self._begun: set[int] = set()  # of them, those without a place wait for each other

    def add(self, place: int) -> None:
        if place in self._begun:
            return
        self._begun.add(place)
        replacement = self.older.get(place) if self._newest_first else None
        for before in (self._leaders.get(place), replacement.by if replacement else None):
            if before is not None and before not in self._begun:
                self.raised.setdefault(before, place)
                self.add(before)
        if replacement and replacement.by not in self.places:  # two call each other older
            del self.older[place]
        self.places.append(place)


class _Link(NamedTuple):
    why: ReplacedWhy
    is_strong: bool  # nearly always about the same attribute


_Links = dict[int, dict[int, _Link]]


def _links(statements: Sequence[Statement], pairs: Iterable[StatementPair], asked: AskedFor) -> _Links:
    links: _Links = {}
    for pair in pairs:
        if link := _link(statements[pair.one], statements[pair.other], pair.near, asked):
            links.setdefault(pair.one, {})[pair.other] = link
            links.setdefault(pair.other, {})[pair.one] = link
    return links


def _link(one: Statement, other: Statement, near: float, asked: AskedFor) -> _Link | None:
    if past_words(one.text) or past_words(other.text):
        newer, older = (one, other) if is_newer(one, other) else (other, one)
        if is_newer(newer, older) and ends(newer, older):
            return _Link("names it", is_strong=True)
    both, either = one.attributes & other.attributes, one.attributes | other.attributes
    if told := both & asked.attributes:
        is_strong = near >= ALIKE or ("home" in told and _is_move(one, other))
        return _Link("attribute", is_strong=is_strong)
    differ = one.attributes and other.attributes and (not both or either & asked.attributes)
    least = APART if differ else ALIKE
    return _Link("alike", is_strong=near >= NEARLY_THE_SAME) if near >= least else None


def _is_move(one: Statement, other: Statement) -> bool:
    """Return whether one person tells of two homes, and of a move: that one was left, however far apart they are."""
    are_own = all(_FIRST_PERSON.search(two.text) and not _NO_HOME.search(two.text) for two in (one, other))
    return are_own and any(read_sentence(two.text).changes for two in (one, other))


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
    """One group of linked statements."""

    def __init__(
        self, statements: Sequence[Statement], members: Sequence[int], links: _Links, asked: AskedFor
    ) -> None:
        self._statements, self._members, self._links, self._asked = statements, members, links, asked

    def leader(self) -> int:
        """The statement that is asked for, if it is not far behind the best; else the best."""
        match self._asked.which:
            case "newest":
                return self._newest()
            case "first":
                return self._first(self._of_the_best())
            case "replaced":
                near = self._of_the_best()
                return self._last([i for i in near if any(self._is_replaced(i, by) for by in near)])
        return self._members[0]

    def _newest(self) -> int:
        """The newest that states something on the day asked about; the best where none says anything newer."""
        latest, best = self._latest(), self._statements[self._members[0]]
        says_the_same = not self._is_out_of_time(best) and repeats(self._statements[latest], best)
        return self._members[0] if says_the_same else latest

    def _latest(self) -> int:
        leader = self._members[0]
        for _ in range(_CHANGES):
            following = [i for i in self._links[leader] if self._follows(i, leader)]
            if not following:
                break
            leader = self._last(following)
        return leader

    def _follows(self, i: int, leader: int) -> bool:
        """Return whether statement i takes the place of the leader."""
        one, best = self._statements[i], self._statements[leader]
        # What was said before something that has ended may have ended long before.
        is_earlier = best.ended and is_later(best.said, one.said)
        is_current = is_newer(one, best) or (self._is_out_of_time(best) and not is_earlier)
        return (
            is_current
            and self._may_answer(i)
            and (self._links[i][leader].why == "names it" or not only_ends(one))
            and self._is_about_words(i, leader)
            and may_displace(one.trust, best.trust)
            and self._may_lead(one)
        )

    def _is_about_words(self, i: int, leader: int) -> bool:
        """Return whether statement i has no other names, numbers or values in the place of those asked about.

        "frankfurt-2 has 64 GB" says nothing about frankfurt-1, though it is newer. What it calls past, it is about.
        """
        one, best = self._statements[i], self._statements[leader]
        if not self._has_words_of_best(i):
            return False
        held = self._asked.words & best.words - one.words
        if not held or self._links[i][leader].why == "names it" or best.outdated:
            return True
        return held.isdisjoint(specific_words(best.text)) and not any(
            held & slot.old for slot in slots_between(best, one)
        )

    def _has_words_of_best(self, i: int) -> bool:
        """Return whether statement i, where only its likeness links it, has a word asked about that the best has.

        What is near to something near to the best may say nothing of what is asked. Of the one whom the query names,
        it may say the same in other words.
        """
        one, best = self._statements[i], self._statements[self._members[0]]
        wanted = self._asked.words & best.words
        is_alike = all(link.why == "alike" for link in self._links[i].values())
        holds_any = not wanted.isdisjoint(one.words) or not self._asked.names.isdisjoint(topic_words(one.text))
        return not is_alike or best.outdated or not wanted or holds_any

    def _of_the_best(self) -> list[int]:
        """The best and what is about the same as it."""
        best = self._members[0]
        return [best, *(i for i in self._links[best] if self._may_answer(i))]

    def _may_answer(self, i: int) -> bool:
        """Return whether a statement is not far behind the best, and tells what is asked for if the best does."""
        one, best = self._statements[i], self._statements[self._members[0]]
        if one.total < max(self._statements[j].total for j in self._members) - STEP:
            return False
        wanted = self._asked.attributes & best.attributes
        return not wanted or not wanted.isdisjoint(one.attributes) or self._names_it(i)

    def _names_it(self, i: int) -> bool:
        return any(link.why == "names it" for link in self._links[i].values())

    def _first(self, places: Sequence[int]) -> int:
        first = self._members[0]
        for i in places:
            if is_later(self._statements[first].said, self._statements[i].said) and self._may_lead(
                self._statements[i]
            ):
                first = i
        return first

    def _last(self, places: Sequence[int]) -> int:
        """The newest of these; the best of all if there are none."""
        last = places[0] if places else self._members[0]
        for i in places:
            if is_later(self._statements[i].said, self._statements[last].said):
                last = i
        return last

    def _is_replaced(self, i: int, by: int) -> bool:
        """Return whether a later statement says something else."""
        old, new = self._statements[i], self._statements[by]
        return is_newer(new, old) and self._may_lead(old) and not repeats(new, old)

    def _may_lead(self, one: Statement) -> bool:
        if self._is_out_of_time(one):
            return False
        reading = read_sentence(one.text)
        return reading.states and not reading.happened

    def _is_out_of_time(self, one: Statement) -> bool:
        """Return whether it says itself that it does not hold, or was said after the day asked about."""
        return one.outdated or (one.said.day is not None and one.said.day > self._asked.as_of)

    def older(self) -> dict[int, Older]:
        """Each member that a newer one replaces, with the newest that surely does.

        What the newest says again holds, whatever was said in between.
        """
        found: dict[int, Older] = {}
        latest = self._latest()
        newest = self._statements[latest]
        for i in self._members:
            old = self._statements[i]
            if i != latest and not old.outdated and not newest.outdated and repeats(newest, old):
                continue
            for j in self._links[i]:
                if why := self._why_replaced(i, j):
                    known = found.get(i)
                    if known is None or is_newer(self._statements[j], self._statements[known.by]):
                        found[i] = Older(j, why, self._statements[j].text)
        return found

    def _why_replaced(self, i: int, j: int) -> ReplacedWhy | None:
        """Say why statement j surely took the place of statement i; None where it may not have."""
        old, new, link = self._statements[i], self._statements[j], self._links[i][j]
        if not link.is_strong or not may_displace(new.trust, old.trust):
            return None
        if old.outdated and not new.outdated and not old.ended:
            return "marked"
        if not is_newer(new, old) or not self._may_lead(new):
            return None
        before, after = read_sentence(old.text), read_sentence(new.text)
        if not before.states or before.happened:
            return None
        if link.why == "names it":
            return "names it"
        if only_ends(new):
            return None
        if old.ended:
            return link.why
        # A change puts one value in the place of another; what differs in two places is about two things.
        if after.changes and not shares_value(old, new, after.past) and len(slots_between(old, new)) < 2:
            return link.why
        return None
