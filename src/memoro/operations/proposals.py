"""Proposals: what agents want to write, and the decision about each."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation

if TYPE_CHECKING:
    from memoro.curate.preview import ProposalPreview
    from memoro.model.proposals import Proposal
    from memoro.notes.entry_files import Remembered
    from memoro.workspace import Workspace


class ListProposals(NamedTuple):
    all: Annotated[bool, Field("Those that are decided too.")] = False


class ProposalList(NamedTuple):
    proposals: "tuple[ProposalPreview, ...]"


def list_(m: "Workspace", request: ListProposals, _caller: Caller) -> ProposalList:
    m.propose_dropped_lines()
    return ProposalList(tuple(m.proposals.previews(None if request.all else "open")))


class OneProposal(NamedTuple):
    id: Annotated[int, Field("The number of a proposal.", "N", positional=True)]


def accept(m: "Workspace", request: OneProposal, caller: Caller) -> "Remembered":
    return m.proposals.accept(request.id, key=caller.once)


def reject(m: "Workspace", request: OneProposal, caller: Caller) -> "Proposal":
    return m.proposals.reject(request.id, key=caller.once)


LIST = Operation(name="proposals", request=ListProposals, call=list_, access="read")
ACCEPT = Operation(name="accept", request=OneProposal, call=accept, access="admin", options=(KEY,))
REJECT = Operation(name="reject", request=OneProposal, call=reject, access="admin", options=(KEY,))
OPERATIONS = (LIST, ACCEPT, REJECT)
