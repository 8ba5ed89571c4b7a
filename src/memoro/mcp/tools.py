"""The tools for agents: every operation that has a tool, and the profiles that choose among them.

A model reads the names, descriptions and schemas at the start of each conversation. The SDK is not needed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from memoro import operations
from memoro.mcp.apps.operations import TODAY
from memoro.model.vocabulary import ToolProfile
from memoro.operations.fields import MISSING, FieldSpec, specs
from memoro.operations.operation import AnyOperation, Argument, Tool
from memoro.operations.parameters import Parameter, parameter, parse, schema

_BRACKETED = re.compile(r"\[?id:(\d{1,18})\]?")
# Hosts keep the list they have read, so its order never changes; what is not named here comes last.
_ORDER = (
    "search", "get", "recall", "memory_store", "memory_query", "memory_reinforce", "memory_demote", "memory_update",
    "remove", "remember", "experience_record", "experience_prefer", "experience_find", "daily",
    "narrative_update", "narrative_search", "status", "wrong", "good",
)  # fmt: skip


class AgentTool(NamedTuple):
    """One tool: the operation behind it, and the parameters that a model may give."""

    operation: AnyOperation
    tool: Tool
    parameters: tuple[Parameter, ...]

    @property
    def name(self) -> str:
        return self.operation.tool_name

    @property
    def is_reading(self) -> bool:
        return self.operation.access == "read"

    def schema(self) -> dict[str, Any]:
        return schema(self.parameters)

    def with_usual_parameters(self) -> AgentTool:
        """The tool without the parameters that only the full profile has."""
        full = {one.name for one in self.tool.takes if one.profile == "full"}
        return self._replace(parameters=tuple(one for one in self.parameters if one.name not in full))

    def hints(self) -> dict[str, bool]:
        """The annotations of the protocol. Nothing here reaches beyond the home and the vault."""
        if self.is_reading:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {
            "readOnlyHint": False,
            "destructiveHint": self.operation.is_destructive,
            "idempotentHint": self.operation.is_repeatable,
            "openWorldHint": False,
        }

    def request(self, given: Mapping[str, Any]) -> Any:
        """The request that a model's arguments make. Raises `QueryError` with a sentence the model can act on."""
        values: dict[str, Any] = dict(self.tool.fixed)
        for name, value in parse(self.name, self.parameters, given).items():
            argument = next(one for one in self.tool.takes if one.name == name)
            if argument.is_filled_in or given.get(name) is not None:
                values[name] = _as_field(argument, value)
        return self.operation.request(**values)


@cache
def all_tools() -> tuple[AgentTool, ...]:
    """Every tool, always in the same order."""
    found = [agent_tool(one) for one in (*operations.table(), TODAY) if one.tool is not None]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one.name) if one.name in _ORDER else len(_ORDER)))


def agent_tool(operation: AnyOperation) -> AgentTool:
    """The tool of an operation that has one."""
    assert operation.tool is not None
    return AgentTool(operation, operation.tool, _parameters(operation, operation.tool))


def chosen(profile: ToolProfile) -> list[AgentTool]:
    """The tools of a profile: those that only read, the usual ones, or all of them."""
    if profile == "recall":
        return [one for one in all_tools() if one.is_reading]
    if profile == "full":
        return list(all_tools())
    return [one.with_usual_parameters() for one in all_tools() if one.tool.profile == "default"]


def tokens(tools: Sequence[AgentTool]) -> int:
    """Estimate what they cost a model: a quarter of the characters of name, description and schema."""
    written = (one.name + one.tool.about + json.dumps(one.schema(), separators=(",", ":")) for one in tools)
    return sum(map(len, written)) // 4


def as_target(text: str) -> str:
    """An id as models repeat it: [id:5] means memory:5."""
    found = _BRACKETED.fullmatch(text.strip())
    return f"memory:{found[1]}" if found else text.strip()


def _parameters(operation: AnyOperation, tool: Tool) -> tuple[Parameter, ...]:
    known = {spec.name: spec for spec in specs(operation.request)}
    return tuple(_parameter(known[argument.name], argument) for argument in tool.takes)


def _parameter(spec: FieldSpec, argument: Argument) -> Parameter:
    default = spec.default if argument.default is MISSING else argument.default
    many = spec.many and not argument.single
    return parameter(spec)._replace(
        about=argument.about,
        many=many,
        least=argument.least,
        most=argument.most,
        default=MISSING if default == () and not many else default,
        required=default is MISSING,
    )


def _as_field(argument: Argument, value: Any) -> Any:
    if argument.single:
        return () if value is None else (value,)
    return as_target(value) if argument.is_id else value
