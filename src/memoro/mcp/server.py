"""The tools, resources and prompts as a server of the official SDK, which speaks both eras of the protocol."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

import memoro
from memoro.errors import MemoroError, QueryError
from memoro.mcp import instructions, tools
from memoro.mcp.handlers import CALLS, Caller, Said
from memoro.model.visible import visible
from memoro.workspace import Workspace

NOTE, MEMORY = "memoro://note/", "memoro://memory/"
KEY, SESSION = "memoro/key", "memoro/session"  # in the `_meta` of a request
AGENT_HEADER, SESSION_HEADER = "memoro-agent", "memoro-session"  # of a request over HTTP
_MANY = 16  # workspaces at once; clients beyond that share one, without a name


class Homes:
    """One home, opened once for each agent that calls, when it first does: nothing is loaded for a hand-shake."""

    def __init__(self, opened: Callable[[str | None], Workspace]) -> None:
        self._open = opened
        self._opened: dict[str | None, Workspace] = {}
        self._opening = threading.Lock()

    def of(self, agent: str | None) -> Workspace:
        with self._opening:
            if agent not in self._opened and len(self._opened) >= _MANY:
                agent = None
            if agent not in self._opened:
                self._opened[agent] = self._open(agent)
            return self._opened[agent]

    def close(self) -> None:
        with self._opening:
            for workspace in self._opened.values():
                workspace.close()
            self._opened.clear()


def build(homes: Homes, profile: str = "default", *, agent: str | None = None, session: str | None = None) -> Server:
    """A server of one home. `agent` goes before the name of the client; `session` before that of its connection."""
    services = _Desk(homes, profile, agent, session)
    return Server(
        "memoro",
        title="Memoro",
        version=memoro.__version__,
        instructions=instructions.INSTRUCTIONS[profile],
        on_list_tools=services.list_tools,
        on_call_tool=services.call_tool,
        on_list_resources=services.list_resources,
        on_list_resource_templates=services.list_templates,
        on_read_resource=services.read_resource,
        on_list_prompts=services.list_prompts,
        on_get_prompt=services.get_prompt,
    )


def over_http(server: Server, port: int) -> Any:
    """The server as an application for `/mcp`, behind a guard of our own; the SDK looks at `Host` and `Origin` too.

    Without sessions: a restart, or a change of settings, then breaks no client, and none can take over another's.
    """
    names = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    return server.streamable_http_app(json_response=True, stateless_http=True, transport_security=security)


class _Desk:
    """What answers each request. The core is synchronous: it runs on a thread, and the loop goes on."""

    def __init__(self, homes: Homes, profile: str, agent: str | None, session: str | None) -> None:
        self._homes = homes
        self._profile = profile
        self._agent = agent
        self._session = session
        self._tools = {tool.name: tool for tool in tools.chosen(profile)}
        self._connection = os.urandom(16).hex()  # keys made from request numbers hold within this process

    async def list_tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        listed = [
            types.Tool(
                name=tool.name,
                title=tool.title,
                description=tool.about,
                input_schema=tool.schema(),
                annotations=types.ToolAnnotations.model_validate(tool.hints()),
            )
            for tool in self._tools.values()
        ]
        return types.ListToolsResult(tools=listed)

    async def call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        tool = self._tools.get(params.name)
        try:
            if tool is None:
                raise QueryError(f"There is no tool {params.name!r} here. There are {', '.join(self._tools)}.")
            checked = tools.arguments(tool, given)
            caller = self._caller(ctx, params)
            said: Said = await _on_a_thread(lambda: CALLS[params.name](self._homes.of(caller.agent), caller, checked))
        except MemoroError as error:
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            sentence = f"Memoro failed inside {params.name} ({type(error).__name__}); its log has the details."
            return types.CallToolResult(content=[_text(sentence)], is_error=True)
        return types.CallToolResult(content=[_text(visible(said.text))], structured_content=_visible(said.structured))

    def _caller(self, ctx: Any, params: types.CallToolRequestParams) -> Caller:
        meta = ctx.meta or {}
        session = _name(meta.get(SESSION)) or self._session or _session_of(ctx)
        return Caller(
            agent=self._agent or _client(ctx),
            session=session if self._profile != "recall" else None,
            key=_name(meta.get(KEY)),
            request=self._request(ctx, params),
        )

    def _request(self, ctx: Any, params: types.CallToolRequestParams) -> str | None:
        """A name for this request, which is the same when it is sent again on its connection.

        Over HTTP there is no connection to speak of: there only a key in `_meta` tells a repetition.
        """
        if ctx.request is not None or ctx.request_id is None:
            return None
        said = json.dumps([self._connection, ctx.request_id, params.name, params.arguments], sort_keys=True)
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()

    async def list_resources(self, ctx: Any, _params: Any) -> types.ListResourcesResult:
        """The always-loaded files; all else is found by search."""

        def there() -> list[str]:
            m = self._homes.of(self._agent or _client(ctx))
            paths = {m.entries.path_of(tier): None for tier in ("semantic", "procedural", "pinned")}
            known = set(m.vault().list().files)
            return [path for path in paths if path in known]

        try:
            paths = await _on_a_thread(there)
        except MemoroError:  # no vault: there is none to list
            paths = []
        listed = [
            types.Resource(uri=NOTE + quote(path), name=path, mime_type="text/markdown", description="always loaded")
            for path in paths
        ]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        made = [
            types.ResourceTemplate(
                uri_template=NOTE + "{+path}", name="note", mime_type="text/markdown",
                description="A note by its path in the vault; PATH:FROM-TO for some of its lines.",
            ),
            types.ResourceTemplate(
                uri_template=MEMORY + "{id}", name="memory", mime_type="text/plain", description="A memory by number."
            ),
        ]  # fmt: skip
        return types.ListResourceTemplatesResult(resource_templates=made)

    async def read_resource(self, ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            target, mime = _target(uri)
            found = await _on_a_thread(lambda: self._homes.of(self._agent or _client(ctx)).get(target))
        except MemoroError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": uri}) from error
        contents = types.TextResourceContents(uri=uri, mime_type=mime, text=visible(found.text))
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _ctx: Any, _params: Any) -> types.ListPromptsResult:
        listed = [
            types.Prompt(
                name=one.name,
                title=one.title,
                description=one.about,
                arguments=[types.PromptArgument(name="topic", description=one.topic, required=False)]
                if one.topic
                else None,
            )
            for one in instructions.PROMPTS
        ]
        return types.ListPromptsResult(prompts=listed)

    async def get_prompt(self, _ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = next((one for one in instructions.PROMPTS if one.name == params.name), None)
        if prompt is None:
            known = ", ".join(one.name for one in instructions.PROMPTS)
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"There is no prompt {params.name!r}. There are {known}."
            )
        said = instructions.spoken(prompt, (params.arguments or {}).get("topic", ""), self._profile)
        message = types.PromptMessage(role="user", content=_text(said))
        return types.GetPromptResult(description=prompt.about, messages=[message])


def _visible(value: Any) -> Any:
    """Without what no reader sees, which could tell a model what its user never read. Names stay as they are."""
    if isinstance(value, dict):
        return {key: one if key in ("id", "path", "more") else _visible(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_visible(one) for one in value]
    return visible(value) if isinstance(value, str) else value


async def _on_a_thread(work: Callable[[], Any]) -> Any:
    """What a client has cancelled is let go at once; the work, if it is a write, ends as it would have."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def _client(ctx: Any) -> str | None:
    """The client's name as that of an agent: `Claude Code` is claude-code. Over HTTP a header may say it."""
    said = ctx.request.headers.get(AGENT_HEADER) if ctx.request is not None else None
    params = ctx.session.client_params
    name = said or (params.client_info.name if params is not None else "")
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.")[:64] or None


def _session_of(ctx: Any) -> str | None:
    return _name(ctx.request.headers.get(SESSION_HEADER)) if ctx.request is not None else None


def _name(given: object) -> str | None:
    return given[:200] if isinstance(given, str) and given.strip() else None


def _target(uri: str) -> tuple[str, str]:
    if uri.startswith(NOTE) and len(uri) > len(NOTE):
        return unquote(uri.removeprefix(NOTE)), "text/markdown"
    if uri.startswith(MEMORY):
        return f"memory:{unquote(uri.removeprefix(MEMORY))}", "text/plain"
    raise QueryError(f"There is no resource {uri!r}. There are {NOTE}PATH and {MEMORY}N.")
