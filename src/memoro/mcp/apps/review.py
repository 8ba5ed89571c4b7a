"""*Review* in a host: each proposal that waits as a difference, with the reason and the evidence for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memoro.errors import MemoroError
from memoro.mcp.apps.values import Card, Fact, Line, Nothing, ReviewView
from memoro.operations.operation import Caller
from memoro.operations.proposals import LIST, ListProposals
from memoro.operations.reviewing import reviewed
from memoro.page.moments import time_words
from memoro.page.proposal_cards import ProposalCard, proposal_card
from memoro.page.proposal_words import ShownEvidence
from memoro.page.shown_difference import Piece, ShownDifference
from memoro.page.texts import texts

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.workspace import Workspace

_SHOWN = 20  # proposals at once
DECIDE_OUTSIDE = "To decide, run `memoro review` in a terminal, or open `memoro ui`."
WORD_OUTSIDE = "To accept a proposal in your own words, run `memoro review`."
_WITHHELD_ONE = "1 private proposal is not shown here. `memoro review` shows it."
_WITHHELD = "{count} private proposals are not shown here. `memoro review` shows them."


def review_view(
    m: Workspace, caller: Caller, *, can_decide: bool, on_view: Callable[[ProposalPreview], object]
) -> ReviewView:
    """What waits and may be shown to this connection. `on_view` is called with each proposal that is shown."""
    t, now = texts(), m.home_context.runtime.now().astimezone()
    found = LIST.run(m, ListProposals(), caller).proposals if m.has_ledger() else ()
    every = len(m.proposals.all()) if m.has_ledger() else 0
    cards: list[Card] = []
    for one in found[:_SHOWN]:
        with suppress(MemoroError):  # decided elsewhere since the list was read
            cards.append(_card(proposal_card(reviewed(m, one)), now))
            on_view(one)
    rest, private = len(found[_SHOWN:]), every - len(found)
    return ReviewView(
        intro=t("review.intro"),
        cards=tuple(cards),
        more=t("review.more", count=rest) if rest else "",
        withheld=(_WITHHELD_ONE if private == 1 else _WITHHELD.format(count=private)) if private > 0 else "",
        can_decide=can_decide,
        elsewhere=WORD_OUTSIDE if can_decide else DECIDE_OUTSIDE,
        nothing=None if cards else Nothing(t("review.empty"), t("today.nothing_waits")),
    )


def _card(one: ProposalCard, now: datetime) -> Card:
    t = texts()
    facts = [
        Fact(t("review.why"), one.reason),
        Fact(t("review.because"), "", tuple(map(_quote, one.evidence))),
        Fact(t("review.lost"), one.loss),
        Fact(t("review.used"), one.uses),
        Fact(t("review.from"), _origin(one, now)),
    ]
    return Card(
        number=one.number,
        title=one.title,
        about=t("review.about", number=one.number),
        difference=() if one.says else tuple(_lines(one.difference)),
        says=one.says,
        outdated=f"{t('review.outdated')}: {one.outdated}" if one.outdated else "",
        facts=tuple(fact for fact in facts if fact.text or fact.quotes),
        can_accept=one.can_accept,
    )


def _lines(shown: ShownDifference) -> Iterator[Line]:
    t = texts()
    for line in shown.lines:
        is_gap = line.kind == "gap"
        yield Line(line.kind, (Piece(t("changes.gap", count=line.skipped)),) if is_gap else line.pieces)
    if shown.left_out:
        yield Line("gap", (Piece(t("changes.left_out", count=shown.left_out)),))


def _quote(one: ShownEvidence) -> str:
    source = ", ".join(part for part in (one.speaker, one.date, one.place) if part)
    return f"“{one.quote}” {source}".rstrip()


def _origin(one: ProposalCard, now: datetime) -> str:
    t = texts()
    who = [
        one.origin,
        t("review.by", name=one.by) if one.by else "",
        t("review.sure", percent=one.sure) if one.sure is not None else "",
    ]
    until = t("review.waits_until", day=time_words(one.waits_until, now, t).short) if one.waits_until else ""
    when = [time_words(one.at, now, t).short, until]
    told = (
        ", ".join(part for part in who if part), ", ".join(part for part in when if part), one.project,
        t("review.number", number=one.number),
    )  # fmt: skip
    return " · ".join(part for part in told if part)
