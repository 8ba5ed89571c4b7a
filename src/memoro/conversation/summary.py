"""Summarise a conversation: the best lines that fit, under four headings; by rules, or as a model chooses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoro.conversation.chosen_lines import ChoosableLine, ChosenLines, LineChooser, PrivateMessages
from memoro.conversation.extract import DECISION, OPEN, TOPIC, CandidateLine, LineKind, candidates
from memoro.conversation.messages import Message
from memoro.conversation.sentences import alike, paths, sentences, shortened, words
from memoro.index.chunk import tokens
from memoro.vault.entries import plain

HEADINGS = ("Topics", "Decisions", "Open", "Tools")
_SAME = 0.75  # a line that shares this much with a better one says nothing new
_WIDTHS = (40, 80, 120, 200)  # characters of a line's context, from few to many
_PRICE = 0.03  # of a token, in units of score
_SHORTEST = 5  # tokens of a line, which bounds their number
_USEFUL = 1.2  # lines that score less are only background
_CHOSEN = 10.0  # the score of the line that a model calls the most important; each further one has a little less
_NOT_CHOSEN = 1.0
_BACKGROUND_SHARE = 0.15  # of the budget
_TOOL_SHARE = 0.08  # of the budget
_HEADINGS_COST = 9


class Summary(NamedTuple):
    topics: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def text(self) -> str:
        sections = zip(HEADINGS, (self.topics, self.decisions, self.open, self.tools), strict=True)
        return "\n".join(f"{name}:\n" + "\n".join(f"- {line}" for line in lines) for name, lines in sections if lines)

    def __bool__(self) -> bool:
        return any((self.topics, self.decisions, self.open, self.tools))


class Summaries(NamedTuple):
    """Two summaries of the same messages. Every line of `brief` is one of `whole`."""

    brief: Summary  # within a budget
    whole: Summary  # with all further lines that say something, within a larger budget
    passed_over: frozenset[str] = frozenset()  # lines that a model did not choose

    def fitted(self, budget: int) -> Summary:
        """Return the brief summary without tools, then topics, then open points, while it is over budget.

        The oldest lines go first. Decisions stay, so the result may be over budget; only those that a model did not
        choose go.
        """
        summary = _within(self.brief, budget, ("tools", "topics", "open"))
        if tokens(summary.text()) <= budget:
            return summary
        return summary._replace(decisions=tuple(one for one in summary.decisions if one not in self.passed_over))


def summarise(
    messages: Sequence[Message], budget: int, earlier: Summary | None = None, choose: LineChooser | None = None
) -> Summary:
    """Return the most important lines within `budget` tokens. Lines of an earlier summary come first."""
    return summaries(messages, (budget, budget), earlier, choose).brief


def summaries(
    messages: Sequence[Message],
    budgets: tuple[int, int],
    earlier: Summary | None = None,
    choose: LineChooser | None = None,
) -> Summaries:
    """Return the most important lines within the first budget, and with them the further ones within the second.

    `choose` says which lines matter most; where it raises, so does this. What it does not choose is background.
    """
    before, (budget, larger) = earlier or Summary(), budgets
    found = _chosen(
        _distinct(candidates(messages, _known(before)), most=max(50, larger // _SHORTEST)), messages, choose
    )
    tools = _tools(messages, budget * _TOOL_SHARE, before.tools)
    packed = _packed(found, budget - _HEADINGS_COST - sum(map(_cost, tools)))
    further = _further(found, packed, larger - budget)
    more_tools = _tools(messages, larger * _TOOL_SHARE, before.tools)
    return Summaries(
        brief=_within(_of_lines(packed, tools), budget),
        whole=_of_lines({**packed, **further}, tuple(dict.fromkeys((*tools, *more_tools)))),
        passed_over=frozenset(line for one, line in packed.items() if one.score < _USEFUL),
    )


def _of_lines(lines: Mapping[CandidateLine, str], tools: tuple[str, ...]) -> Summary:
    ordered = sorted(lines.items(), key=lambda pair: pair[0].order)

    def of(kind: LineKind) -> tuple[str, ...]:
        return tuple(line for one, line in ordered if one.kind == kind)

    return Summary(topics=of(TOPIC), decisions=of(DECISION), open=of(OPEN), tools=tools)


def _chosen(
    found: list[CandidateLine], messages: Sequence[Message], choose: LineChooser | None
) -> list[CandidateLine]:
    """Return the lines with scores as a model chooses among them, if it is asked."""
    if choose is None:
        return found
    private = PrivateMessages(message.text() for message in messages)
    said = [(one.kind, one.line(_WIDTHS[1])) for one in found]
    chosen = choose([ChoosableLine(kind, line, private.holds(line)) for kind, line in said])
    return found if chosen is None else _scored(found, chosen)


def _scored(found: Sequence[CandidateLine], chosen: ChosenLines) -> list[CandidateLine]:
    """Return the lines with scores by a model's choice; those that it has not seen keep theirs."""
    ranks = {place: rank for rank, place in enumerate(chosen.best)}
    scores = [
        _CHOSEN - (_CHOSEN - _USEFUL) * ranks[place] / len(ranks)
        if place in ranks
        else one.score
        if place in chosen.unseen
        else min(one.score, _NOT_CHOSEN)
        for place, one in enumerate(found)
    ]
    return [one._replace(score=score) for one, score in zip(found, scores, strict=True)]


def _known(before: Summary) -> list[CandidateLine]:
    """Return the lines of an earlier summary, scored a little lower than new ones."""
    sections: tuple[tuple[LineKind, float, tuple[str, ...]], ...] = (
        (TOPIC, 1.3, before.topics),
        (DECISION, 2.9, before.decisions),
        (OPEN, 2.0, before.open),
    )
    lines = [(kind, score, line) for kind, score, section in sections for line in section]
    return [
        CandidateLine(kind=kind, score=score, order=n - len(lines), text=line, about=words(line))
        for n, (kind, score, line) in enumerate(lines)
    ]


def _packed(found: Sequence[CandidateLine], room: float) -> dict[CandidateLine, str]:
    """Choose the best lines that fit, each as brief as possible; then spend the rest on their context."""
    chosen: dict[CandidateLine, str] = {}
    background = room * _BACKGROUND_SHARE
    for one in sorted(found, key=_worth, reverse=True):
        line = plain(one.line(0))
        cost = _cost(line)
        if line and cost <= (room if one.score >= _USEFUL else min(room, background)):
            chosen[one] = line
            room -= cost
            background -= cost if one.score < _USEFUL else 0
    for width in _WIDTHS:
        for one in sorted(chosen, key=lambda c: -c.score):
            longer = plain(one.line(width))
            more = _cost(longer) - _cost(chosen[one])
            if one.score >= _USEFUL and more <= room:
                chosen[one] = longer
                room -= more
    return chosen


def _further(
    found: Sequence[CandidateLine], packed: Mapping[CandidateLine, str], room: float
) -> dict[CandidateLine, str]:
    """Return the useful lines that were not packed, the best first, each as brief as possible."""
    further: dict[CandidateLine, str] = {}
    for one in sorted(found, key=_worth, reverse=True):
        line = plain(one.line(0))
        if line and one.score >= _USEFUL and one not in packed and _cost(line) <= room:
            further[one] = line
            room -= _cost(line)
    return further


def _worth(one: CandidateLine) -> float:
    """Return the score minus the price of the room that the line takes."""
    return one.score - _PRICE * _cost(one.line(0))


def title(messages: Sequence[Message]) -> str:
    """Return the title of a conversation: its user's first sentence."""
    for message in messages:
        if message.role == "user" and (opening := sentences(message.text())):
            return shortened(plain(opening[0].text), 60)
    return "Conversation"


def _distinct(found: Sequence[CandidateLine], most: int) -> list[CandidateLine]:
    """Return the best lines without repetitions; of two equally good ones the later stays."""
    kept: list[tuple[CandidateLine, frozenset[str]]] = []
    for one in sorted(found, key=lambda c: (-c.score, -c.order)):
        if len(kept) == most:
            break
        own = words(one.line(_WIDTHS[-1]))
        if own and all(alike(own, other) < _SAME or len(own) > 2 * len(other) for _, other in kept):
            kept.append((one, own))
    return [one for one, _ in sorted(kept, key=lambda pair: pair[0].order)]


def _tools(messages: Sequence[Message], budget: float, before: Sequence[str]) -> tuple[str, ...]:
    """Return the tools that were used, how often, and on which files; those of an earlier summary last."""
    used: Counter[str] = Counter()
    files: dict[str, list[str]] = {}
    for message in messages:
        for part in message.parts:
            if part.kind == "call" and part.name:
                used[part.name] += 1
                files.setdefault(part.name, []).extend(paths(part.text))
    lines = [f"{name}, {count} ×{_listed(files[name])}" for name, count in used.most_common()]
    found: list[str] = []
    for line in (*map(plain, lines), *before):
        line = shortened(line, 160)
        if line not in found and _cost(line) <= budget:
            found.append(line)
            budget -= _cost(line)
    return tuple(found)


def _listed(files: Sequence[str]) -> str:
    return f": {', '.join(dict.fromkeys(files))}" if files else ""


def _within(
    summary: Summary, budget: int, sections: Sequence[str] = ("tools", "topics", "open", "decisions")
) -> Summary:
    """Drop the oldest lines of these sections, one section after the other, while the summary is over budget."""
    for name in sections:
        while getattr(summary, name) and tokens(summary.text()) > budget:
            summary = summary._replace(**{name: getattr(summary, name)[1:]})
    return summary


def _cost(line: str) -> float:
    """Return the cost of a line, with fractions of a token."""
    return (len(line) + 3) / 4 if line.isascii() else tokens(line) + 0.75
