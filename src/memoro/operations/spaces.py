"""The spaces in which vectors are kept: list them, drop one."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.kept_spaces import DroppedSpace, KeptSpace
    from memoro.workspace import Workspace


class SpaceList(NamedTuple):
    spaces: "tuple[KeptSpace, ...]"


def list_(m: "Workspace", _request: NoArguments, _caller: Caller) -> SpaceList:
    from memoro.kept_spaces import kept_spaces

    return SpaceList(kept_spaces(m.parts))


def _listed(found: SpaceList) -> "Document":
    from memoro.documents import plain

    return {
        "spaces": [
            {
                **plain(one.state),
                "cached": one.cached,
                "suspicion": one.suspicion,
                "calibrated": one.calibrated,
            }
            for one in found.spaces
        ]
    }


class DropSpace(NamedTuple):
    name: Annotated[
        str, Field("The space, as `list` names it; a beginning that fits one alone will do.", positional=True)
    ]
    yes: Annotated[
        bool, Field("Do it without being asked: to fill the space again may cost money.", flags=("-y", "--yes"))
    ] = False


def drop(m: "Workspace", request: DropSpace, _caller: Caller) -> "DroppedSpace":
    from memoro.kept_spaces import drop_space

    return drop_space(m.parts, request.name, yes=request.yes)


LIST = Operation(
    name="space list", request=NoArguments, call=list_, access="read", encode=_listed,
    summary="List the models whose vectors are kept, and which one is searched.",
)  # fmt: skip
DROP = Operation(
    name="space drop", request=DropSpace, call=drop, access="admin",
    summary="Delete all vectors of a model, those that were paid for too.", is_destructive=True,
    changes_nothing_remembered=True,
)  # fmt: skip
OPERATIONS = (LIST, DROP)
