"""Review: the proposals that wait, as differences with their evidence; and those that were decided lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlencode

from memoro.curate.reviewing.amending import editable_text
from memoro.curate.reviewing.digest import kind_of_change
from memoro.errors import MemoroError, QueryError
from memoro.model.proposals import ErasedProposal, Proposal
from memoro.model.vocabulary import PROPOSAL_KINDS, ProposalKind
from memoro.operations.reviewing import REVIEW, Review, ReviewDecision, ReviewResult, reviewed
from memoro.page.lists import cut, without_block_ids
from memoro.page.paths import page_path
from memoro.page.proposal_cards import ProposalCard, proposal_card
from memoro.page.proposal_words import wish_in_words
from memoro.page.texts import texts
from memoro.page.view import Done, Fields, PageRequest, Shown, View, Views

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.workspace import Workspace

_SHOWN = 20  # proposals on a page
_MOST_SHOWN = 200
_DECIDED = 10


class DecidedProposal(NamedTuple):
    number: int
    title: str
    text: str  # one line of what was written, or would have been
    at: str
    state: Literal["accepted", "rejected", "undone"]
    redo: int | None  # the change whose undo does it again
    can_reopen: bool


class KindLink(NamedTuple):
    href: str
    label: str


def review(request: PageRequest) -> Shown:
    m, query = request.m, request.query
    with suppress(MemoroError):  # a home that cannot be written shows what waits already
        m.propose_dropped_lines()
    kind, later = _kind(query), set(query.all("later"))
    every = m.proposals.all()
    chosen = [one for one in every if kind in ("", kind_of_change(one.change))]
    now = [one for one in chosen if str(one.id) not in later]
    most = min(query.number("show", _SHOWN), _MOST_SHOWN)
    put_off = [one for one in chosen if str(one.id) in later]
    return Shown(
        "review.html",
        {
            "cards": _cards(m, now[:most]),
            "later": _cards(m, put_off[:_MOST_SHOWN]),
            "more": len(now[most:]),
            "more_href": _url(kind, later, most + _SHOWN),
            "waiting": len(every),
            "kind": kind,
            "kinds": _kind_links(every),
            "put_off": tuple(sorted(later)),
            "back": _url(kind, later, most),
            "decided": _decided(m),
        },
        part="queue",
    )


def _kind(query: Fields) -> ProposalKind | Literal[""]:
    asked = query.get("kind")
    return next((kind for kind in PROPOSAL_KINDS if kind == asked), "")


def _url(kind: str, later: set[str], show: int = _SHOWN) -> str:
    pairs = [("kind", kind)] if kind else []
    pairs += [("later", number) for number in sorted(later) if number.isdigit()]
    pairs += [("show", str(show))] if show > _SHOWN else []
    return f"/review?{urlencode(pairs)}" if pairs else "/review"


def _kind_links(every: Sequence[Proposal]) -> tuple[KindLink, ...]:
    t, counts = texts(), Counter(kind_of_change(one.change) for one in every)
    kinds = [
        KindLink(_url(kind, set()), t(f"review.kind_{kind}", count=counts[kind]))
        for kind in PROPOSAL_KINDS
        if counts[kind]
    ]
    return (KindLink("/review", t("review.kind_all", count=len(every))), *kinds)


def _cards(m: Workspace, proposals: Sequence[Proposal]) -> tuple[ProposalCard, ...]:
    found: list[ProposalCard] = []
    for one in proposals:
        with suppress(MemoroError):  # decided elsewhere since the list was read
            found.append(proposal_card(reviewed(m, m.proposals.preview(one.id))))
    return tuple(found)


def _decided(m: Workspace) -> tuple[DecidedProposal, ...]:
    return tuple(_decided_one(m, one) for one in m.proposals.settled_previews(_DECIDED))


def _decided_one(m: Workspace, shown: ProposalPreview) -> DecidedProposal:
    one = shown.proposal
    undos = [entry.undone_by or 0 for entry in m.journal.of_proposal(one.id)] if shown.undone else []
    return DecidedProposal(
        number=one.id,
        title=wish_in_words(one.change),
        text=cut(without_block_ids(shown.words)),
        at=one.settled_at or one.at,
        state="undone" if shown.undone else "accepted" if one.state == "accepted" else "rejected",
        redo=max(undos, default=None),
        can_reopen=one.state == "rejected" and not isinstance(one.change, ErasedProposal),
    )


def decide(request: PageRequest) -> Done:
    """Accept, accept in other words, reject or reopen what the form names."""
    form = request.form
    numbers = tuple(Fields((("number", text),)).number("number", 0) for text in form.all("proposal"))
    decision = form.get("decision")
    back = page_path(form.get("to"), "/review")
    if not numbers:
        return Done(texts()("review.none_selected"), to=back)
    titles = {number: _title(request.m, number) for number in numbers}
    match decision:
        case "accept":
            asked = Review(accept=numbers)
        case "reject":
            asked = Review(reject=numbers)
        case "reopen":
            asked = Review(reopen=numbers)
        case "edit":
            asked = _edited(request.m, numbers[0], form)
        case _:
            raise QueryError(texts()("review.no_decision"))
    result: ReviewResult = request.call(REVIEW, asked._replace(round=False))
    done = tuple(one for one in result.decided if one.is_done)
    is_as_proposed = decision == "edit" and asked.edit is None
    return Done(
        _sentence("accept" if is_as_proposed else decision, result.decided, titles),
        to=back,
        proposals=tuple(one.proposal for one in done) if asked.accept or asked.edit is not None else (),
    )


def _edited(m: Workspace, number: int, form: Fields) -> Review:
    """Words that were left as they are accept the proposal as it is."""
    said = next((value for key, value in form.pairs if key == "text"), "").replace("\r\n", "\n")
    proposed = editable_text(m.proposals.preview(number).proposal.change)
    return Review(accept=(number,)) if said == proposed else Review(edit=number, text=said)


def _title(m: Workspace, number: int) -> str:
    try:
        title = wish_in_words(m.proposals.preview(number).proposal.change)
    except MemoroError:  # it was decided meanwhile; the decision says so
        return texts()("review.number", number=number)
    return title[:1].lower() + title[1:]


def _sentence(decision: str, decided: Sequence[ReviewDecision], titles: dict[int, str]) -> str:
    """What was done, and for each that could not be done, why."""
    t, done = texts(), [one for one in decided if one.is_done]
    name = {"accept": "accepted", "edit": "edited", "reject": "rejected", "reopen": "reopened"}[decision]
    said: list[str] = []
    if len(done) > 1 and name in ("accepted", "rejected"):
        said.append(t(f"review.done_{name}_several", count=len(done)))
    else:
        said += [t(f"review.done_{name}", what=titles[one.proposal], number=one.proposal) for one in done]
    failed = [one for one in decided if not one.is_done]
    said += [t("review.failed", number=one.proposal, sentence=one.sentence) for one in failed]
    return " ".join(said)


def look(request: PageRequest) -> Done:
    """Look at all that is curated for something to propose."""
    result: ReviewResult = request.call(REVIEW, Review())
    assert result.round is not None
    return Done(result.round.sentence, to="/review")


VIEWS: Views = (
    View("/review", review, menu="review"),
    View("/review", decide, method="POST"),
    View("/review/look", look, method="POST"),
)
