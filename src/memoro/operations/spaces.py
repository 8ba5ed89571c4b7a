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
        str, Field("The space, as `memoro space list` shows it, or how its name begins.", positional=True)
    ]
    yes: Annotated[
        bool, Field("Delete without asking; filling the space again may cost money.", flags=("-y", "--yes"))
    ] = False


def drop(m: "Workspace", request: DropSpace, _caller: Caller) -> "DroppedSpace":
    from memoro.kept_spaces import drop_space

    return drop_space(m.parts, request.name, yes=request.yes)


LIST = Operation(
    name="space list", request=NoArguments, call=list_, access="read", encode=_listed,
    summary="List the spaces: models with stored vectors, and the one searched.",
)  # fmt: skip
DROP = Operation(
    name="space drop", request=DropSpace, call=drop, access="admin",
    summary="Delete all vectors of one model, paid ones too.", is_destructive=True,
    changes_nothing_remembered=True,
)  # fmt: skip
OPERATIONS = (LIST, DROP)
