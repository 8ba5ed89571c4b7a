"""Reviewing: a round that looks for proposals, what waits after it, and decisions by number."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import ConfigError, MemoroError, Refused
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.curate.reviewing.reviewed import ReviewedProposal
    from memoro.curate.rounds.running import RoundReport
    from memoro.documents import Document
    from memoro.notes.entry_files import Remembered
    from memoro.workspace import Workspace


class Review(NamedTuple):
    accept: Annotated[tuple[int, ...], Field("Accept these proposals without asking.", "N", several=True)] = ()
    reject: Annotated[tuple[int, ...], Field("Reject these proposals for ever.", "N", several=True)] = ()
    reopen: Annotated[
        tuple[int, ...], Field("Let these proposals wait again, which were rejected or undone.", "N", several=True)
    ] = ()
    edit: Annotated[int | None, Field("Accept this proposal with the text of --text instead of its own.", "N")] = None
    text: Annotated[str | None, Field("The text for --edit.", "TEXT")] = None
    round: Annotated[bool, Field("Do not look for new proposals first.")] = True


class ReviewDecision(NamedTuple):
    """The outcome of one decision."""

    proposal: int
    is_done: bool
    sentence: str
    written: "Remembered | None" = None


class ReviewResult(NamedTuple):
    """A round with what waits after it, or the decisions that were asked for."""

    round: "RoundReport | None" = None
    proposals: "tuple[ReviewedProposal, ...]" = ()
    decided: tuple[ReviewDecision, ...] = ()


def review(m: "Workspace", request: Review, caller: Caller) -> ReviewResult:
    """Decide what is named, each by itself: one that fails is reported, and the others are done."""
    if (request.edit is None) != (request.text is None):
        raise ConfigError("--edit N and --text TEXT go together: which proposal, and the words to accept instead.")
    named = [*request.accept, *request.reject, *request.reopen, *(() if request.edit is None else (request.edit,))]
    if len(set(named)) < len(named):
        raise ConfigError("A proposal is named twice. Decide each of them once.")
    if named:
        return ReviewResult(decided=tuple(_decide(m, request, number, caller) for number in named))
    m.propose_dropped_lines()
    found = m.curation.run() if request.round else None
    return ReviewResult(found, tuple(reviewed(m, one) for one in m.proposals.previews()))


def _decide(m: "Workspace", request: Review, number: int, caller: Caller) -> ReviewDecision:
    key = f"{caller.once}:{number}" if caller.once else None
    try:
        if number in request.reject:
            m.proposals.reject(number, key=key)
            return ReviewDecision(number, True, "Rejected for ever: neither it nor the same in other words returns.")
        if number in request.reopen:
            again = m.proposals.reopen(number).id
            return ReviewDecision(
                number, True, "It waits again." if again == number else f"It waits again, as {again}."
            )
        text = request.text if number == request.edit else None
        done = m.proposals.accept(number, text=text, key=key)
    except Refused as error:
        return ReviewDecision(number, False, str(error))
    except MemoroError as error:
        return ReviewDecision(number, False, f"Not done: {error}")
    undo = f"`memoro undo {done.change}`" if done.change else f"`memoro undo --proposal {number}`"
    words = " in your words" if text is not None else ""
    return ReviewDecision(
        proposal=number, is_done=True, sentence=f"Accepted{words}; {undo} reverts it.", written=done
    )


def reviewed(m: "Workspace", shown: "ProposalPreview") -> "ReviewedProposal":
    """Add how often the item was used that a proposal is about."""
    from memoro.curate.reviewing.reviewed import ReviewedProposal, item_of

    item = item_of(shown.proposal.change)
    return ReviewedProposal(shown, m.sessions.uses([item])[item] if item else None)


def _document(found: ReviewResult) -> "Document":
    from memoro import documents

    return {
        "round": documents.round_report(found.round) if found.round else None,
        "proposals": [
            {**documents.previewed(one.preview), "uses": one.uses._asdict() if one.uses else None}
            for one in found.proposals
        ],
        "decided": [
            {"proposal": one.proposal, "done": one.is_done, "sentence": one.sentence} for one in found.decided
        ],
    }


REVIEW = Operation(
    name="review",
    request=Review,
    call=review,
    access="admin",
    encode=_document,
    options=(KEY,),
    help=(
        "In a terminal it asks about each proposal, with one key for each decision; elsewhere it lists them. "
        "Nothing changes until you accept, and `memoro undo` reverts it."
    ),
)
OPERATIONS = (REVIEW,)
