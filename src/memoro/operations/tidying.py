"""Looking for what can be tidied up. What is found waits for a person."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.curate.rounds.tidying import TidyRound
    from memoro.workspace import Workspace


class Tidy(NamedTuple):
    dry_run: Annotated[bool, Field("Only list what would be proposed.")] = False


def tidy(m: "Workspace", request: Tidy, _caller: Caller) -> "TidyRound":
    return m.tidy(dry_run=request.dry_run)


TIDY = Operation(
    name="tidy",
    request=Tidy,
    call=tidy,
    encode=documents.tidy_round,
    access="write",
    help="It reads the always-loaded files, memories, experiences and the notes of agents, and only makes "
    "proposals. Accepted ones move lines to the archive; nothing is deleted.",
    is_repeatable=True,
    changes_nothing_remembered=True,
)
OPERATIONS = (TIDY,)
