"""Which tools a host with apps is offered besides those of the profile, and which of them a model never sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoro.mcp import tools
from memoro.mcp.apps import extension
from memoro.mcp.apps.keys import DecisionKeys
from memoro.mcp.apps.operations import decide_operation, view_operation
from memoro.mcp.tools import AgentTool

_SHOWN_IN = {"today": extension.shown_in("today"), "proposals": extension.shown_in("review")}


class AppTools:
    """The tools of the views. One server has one, because its tools share the keys for decisions."""

    def __init__(self) -> None:
        keys = DecisionKeys()
        self._models = {one.name: one for one in tools.all_tools() if one.name in _SHOWN_IN}
        self._view = tools.agent_tool(view_operation(keys))
        self._view_without_buttons = tools.agent_tool(view_operation(None))
        self._decide = tools.agent_tool(decide_operation(keys))

    def added_to(self, chosen: Mapping[str, AgentTool], *, can_decide: bool) -> dict[str, AgentTool]:
        """The tools of a profile with those that the views need."""
        own = (self._view, self._decide) if can_decide else (self._view_without_buttons,)
        return {**chosen, **self._models, **{one.name: one for one in own}}

    def meta(self, tool: AgentTool) -> dict[str, Any] | None:
        """What a host is told about a tool: the view that shows its answer, or that it is for the view alone."""
        if tool.name in (self._view.name, self._decide.name):
            return extension.only_for_apps()
        return _SHOWN_IN.get(tool.name)
