"""The operations behind the views of a host: one is a tool for models too, two are for the view alone.

Each loads its view when it is first called: most conversations open none.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.mcp.apps.keys import Decision, DecisionKeys
from memoro.mcp.apps.names import ViewName
from memoro.operations.fields import Field
from memoro.operations.operation import Argument, Caller, NoArguments, Operation, Tool

if TYPE_CHECKING:
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.mcp.apps.decisions import Decided
    from memoro.mcp.apps.values import AppView, TodayView
    from memoro.workspace import Workspace


class ShowView(NamedTuple):
    view: Annotated[ViewName, Field("The view.")]


class Decide(NamedTuple):
    proposal: Annotated[int, Field("The number of a proposal that was shown.")]
    decision: Annotated[Decision, Field("What to do.")]
    key: Annotated[str, Field("The key that was sent with it.")]


class ShownView(NamedTuple):
    """A view, and the keys for its buttons, by the number of the proposal."""

    view: "AppView"
    keys: dict[str, str]


def today(m: "Workspace", _request: NoArguments, caller: Caller) -> "TodayView":
    from memoro.mcp.apps.today import today_view

    return today_view(m, caller)


TODAY = Operation(
    name="today",
    request=NoArguments,
    call=today,
    access="read",
    tool=Tool(
        title="Today",
        about="Show the user what you were given from memory today and why, what waits for a decision, and health.",
        profile="full",
    ),
)


def view_operation(keys: DecisionKeys | None) -> Operation[ShowView, ShownView]:
    """The operation that fills a view. Without keys, the view has no buttons."""

    def show(m: "Workspace", request: ShowView, caller: Caller) -> ShownView:
        from memoro.mcp.apps.review import review_view
        from memoro.mcp.apps.today import today_view

        if request.view == "today":
            return ShownView(today_view(m, caller), {})
        issued: dict[str, str] = {}

        def issue(shown: "ProposalPreview") -> None:
            if keys is not None:
                issued[str(shown.proposal.id)] = keys.issue(shown)

        return ShownView(review_view(m, caller, can_decide=keys is not None, on_view=issue), issued)

    return Operation(
        name="app view",
        request=ShowView,
        call=show,
        access="read",
        encode=lambda shown: documents.plain(shown.view),
        tool=Tool(title="Show a view", about="For the view itself.", takes=(Argument("view"),)),
    )


def decide_operation(keys: DecisionKeys) -> "Operation[Decide, Decided]":
    """The operation behind the buttons of a view."""

    def carry_out(m: "Workspace", request: Decide, _caller: Caller) -> "Decided":
        from memoro.mcp.apps.decisions import decide

        return decide(m, keys, request.proposal, request.decision, request.key)

    return Operation(
        name="app decide",
        request=Decide,
        call=carry_out,
        access="admin",
        tool=Tool(
            title="Decide on a proposal",
            about="For the buttons of the view alone.",
            takes=(Argument("proposal", least=1), Argument("decision"), Argument("key")),
        ),
    )
