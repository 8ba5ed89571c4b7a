"""Proposals: what agents want to write, and the decision about each."""

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.model.proposals import Proposal
    from memoro.notes.entry_files import Remembered
    from memoro.workspace import Workspace


class ListProposals(NamedTuple):
    all: Annotated[bool, Field("List decided ones too.")] = False


class ProposalList(NamedTuple):
    proposals: "tuple[ProposalPreview, ...]"


def list_(m: "Workspace", request: ListProposals, _caller: Caller) -> ProposalList:
    """Return what waits; to an agent, nothing that is private."""
    m.propose_dropped_lines()
    found = m.proposals.previews(None if request.all else "open")
    shows_private = m.home_context.runtime.scope.private
    return ProposalList(tuple(one for one in found if shows_private or not _is_private(one)))


def _is_private(one: "ProposalPreview") -> bool:
    from memoro.model.privacy import item_is_private
    from memoro.model.proposals import texts_of

    texts = (*texts_of(one.proposal), one.before or "", one.after or "")
    return any(item_is_private(text, re.findall(r"(?<!\S)#([\w/-]+)", text)) for text in texts)


class OneProposal(NamedTuple):
    id: Annotated[int, Field("The number of the proposal, as `memoro proposals` shows it.", "N", positional=True)]


def accept(m: "Workspace", request: OneProposal, caller: Caller) -> "Remembered":
    return m.proposals.accept(request.id, key=caller.once)


def reject(m: "Workspace", request: OneProposal, caller: Caller) -> "Proposal":
    return m.proposals.reject(request.id, key=caller.once)


LIST = Operation(
    name="proposals",
    request=ListProposals,
    call=list_,
    access="read",
    tool=Tool(
        title="List proposals",
        about="List the proposals that wait for the user's decision. You cannot decide.",
        profile="full",
    ),
)
ACCEPT = Operation(name="accept", request=OneProposal, call=accept, access="admin", options=(KEY,))
REJECT = Operation(name="reject", request=OneProposal, call=reject, access="admin", options=(KEY,))
OPERATIONS = (LIST, ACCEPT, REJECT)
