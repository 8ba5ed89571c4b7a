"""Figures by week: what is stored, what agents were given, feedback, models, and files."""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.home_numbers import Numbers
    from memoro.workspace import Workspace


class ShowNumbers(NamedTuple):
    part: Annotated[
        tuple[Literal["stored", "given", "feedback", "models", "files"], ...],
        Field("Only these figures; repeat for several (all).", several=True),
    ] = ()
    weeks: Annotated[int, Field("Show the last N weeks (12).", "N", least=1, most=520)] = 12


def numbers(m: "Workspace", request: ShowNumbers, _caller: Caller) -> "Numbers":
    return m.numbers(request.part, weeks=request.weeks)


NUMBERS = Operation(name="numbers", request=ShowNumbers, call=numbers, access="read")
OPERATIONS = (NUMBERS,)
