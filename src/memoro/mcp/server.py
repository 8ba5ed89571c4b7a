"""A server of the official SDK with the tools, resources and prompts, for both eras of the protocol."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

import memoro
from memoro.api.problems import error_name
from memoro.api.seat_exposure import NOTES, OFFERED, check_offered
from memoro.errors import MemoroError, NotInSeat, NoVault, QueryError, WaitsInOutbox
from memoro.mcp import instructions, tools
from memoro.mcp.answers import ToolAnswer, call
from memoro.mcp.apps import document, extension
from memoro.mcp.apps.names import VIEWS
from memoro.mcp.apps.tools import AppTools
from memoro.mcp.clients import AGENT, AGENT_HEADER, SESSION_HEADER, SWITCHED_OFF, Homes, client_name, given_name
from memoro.mcp.tools import AgentTool
from memoro.model.answers import Text
from memoro.model.output_filter import OutputFilter
from memoro.model.secrets import known_values
from memoro.model.vocabulary import ToolProfile
from memoro.operations.operation import Caller
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder
    from memoro.serve.request_records import RequestRecord
    from memoro.serve.seat_threads import SeatThreads
    from memoro.serve.seat_workspaces import SeatWorkspaces

NOTE, MEMORY = "memoro://note/", "memoro://memory/"
KEY, SESSION = "memoro/key", "memoro/session"  # in the `_meta` of a request
_MOST_SAID = 2000  # characters of an error


class TeamSide(NamedTuple):
    """What a team's server has for the tokens of people and agents."""

    seats: SeatWorkspaces
    threads: SeatThreads


def build(
    homes: Homes,
    profile: ToolProfile = "default",
    *,
    agent: str | None = None,
    session: str | None = None,
    team: TeamSide | None = None,
) -> Server:
    """A server of one home. `agent` is the one that the set-up names, and `session` the name of its connection.

    `team` serves the requests that carry the token of a person or an agent.
    """
    handlers = _Handlers(homes, profile, agent, session)
    handlers.team = team
    answers: dict[str, Handle] = {
        "on_list_tools": handlers.list_tools,
        "on_call_tool": handlers.call_tool,
        "on_list_resources": handlers.list_resources,
        "on_list_resource_templates": handlers.list_templates,
        "on_read_resource": handlers.read_resource,
        "on_list_prompts": handlers.list_prompts,
        "on_get_prompt": handlers.get_prompt,
    }
    server = Server(
        "memoro",
        title="Memoro",
        version=memoro.__version__,
        instructions=instructions.INSTRUCTIONS[profile],
        **{kind: _filtered(handle) for kind, handle in answers.items()},
    )
    server.extensions[extension.EXTENSION] = {}
    return server


Handle = Callable[[Any, Any], Coroutine[Any, Any, Any]]


def _filtered(handle: Handle) -> Handle:
    """Make every answer and every error of a handler pass the output filter on its way to the client."""
    filter = OutputFilter(known_values(os.environ))

    async def answered(ctx: Any, params: Any) -> Any:
        try:
            made = await handle(ctx, params)
        except MCPError as error:
            data = filter.value(error.error.data)
            raise MCPError(code=error.error.code, message=filter.text(error.error.message), data=data) from error
        return type(made).model_validate(filter.value(made.model_dump(by_alias=True)))

    return answered


def over_http(server: Server, port: int, proxy_names: Sequence[str] = ()) -> Any:
    """The server as an application for `/mcp`, behind our own guard; the SDK checks `Host` and `Origin` too.

    It keeps no sessions, so a restart breaks no client, and no client can take over another's session.
    """
    names = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *(one for name in proxy_names for one in (name, f"{name}:443"))],
        allowed_origins=[*(f"http://{name}" for name in names), *(f"https://{name}" for name in proxy_names)],
    )
    return server.streamable_http_app(json_response=True, stateless_http=True, transport_security=security)


class _Handlers:
    """Answers each kind of request. The core is synchronous, so it runs on a thread."""

    def __init__(self, homes: Homes, profile: ToolProfile, agent: str | None, session: str | None) -> None:
        self._homes = homes
        self._profile = profile
        self._agent = agent
        self._session = session
        self._tools = {tool.name: tool for tool in tools.chosen(profile)}
        self._connection = os.urandom(16).hex()  # keys made from request numbers hold within this process
        self._apps = AppTools()
        self.team: TeamSide | None = None

    async def list_tools(self, ctx: Any, _params: Any) -> types.ListToolsResult:
        is_seat, shows_apps = _holder(ctx) is not None, _shows_apps(ctx)
        listed = [
            types.Tool(
                name=tool.name,
                title=tool.tool.title,
                description=tool.tool.about,
                input_schema=tool.schema(),
                annotations=types.ToolAnnotations.model_validate(tool.hints()),
                _meta=self._apps.meta(tool) if shows_apps else None,
            )
            for tool in self._offered(ctx).values()
            if not is_seat or tool.operation.name in OFFERED
        ]
        return types.ListToolsResult(tools=listed)

    async def call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        offered = self._offered(ctx)
        tool = offered.get(params.name)
        try:
            if tool is None:
                raise QueryError(f"There is no tool {params.name!r} here. There are {', '.join(offered)}.")
            _note(ctx, operation=tool.operation.name)
            request, caller = tool.request(given), self._caller(ctx, params)
            made: ToolAnswer = await self._run(ctx, lambda: self._call(ctx, tool, request, caller))
        except WaitsInOutbox as kept:  # done, as far as the caller is concerned
            return types.CallToolResult(content=[_text(str(kept))], structured_content={"outbox": kept.number})
        except MemoroError as error:
            _note(ctx, error=error_name(type(error)))
            return types.CallToolResult(content=[_text(_short(str(error)))], is_error=True)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            sentence = f"Memoro failed inside {params.name} ({type(error).__name__}); its log has the details."
            return types.CallToolResult(content=[_text(sentence)], is_error=True)
        return types.CallToolResult(content=[_text(made.text)], structured_content=made.structured, _meta=made.hidden)

    def _offered(self, ctx: Any) -> dict[str, AgentTool]:
        """The tools of the profile; for a host with apps, also those of the views.

        Over HTTP a request carries the token of agents, which must not decide. Here the client is a program of the
        owner, and a view of it shows each decision to the owner.
        """
        if not _shows_apps(ctx):
            return self._tools
        can_decide = ctx.request is None and self._profile != "recall"
        return self._apps.added_to(self._tools, can_decide=can_decide)

    @contextmanager
    def _home(self, ctx: Any, author: str | None) -> Iterator[Workspace]:
        """The workspace of whoever asks: a seat for a team token, else one of this home."""
        holder = _holder(ctx)
        if holder is None or self.team is None:
            yield self._homes.of(None if author == self._agent else author)
            return
        with self.team.seats.opened(holder, author or "") as workspace:
            try:
                yield workspace
            except NoVault:
                raise NotInSeat("This", NOTES) from None

    async def _run(self, ctx: Any, work: Callable[[], Any]) -> Any:
        holder = _holder(ctx)
        if holder is None or self.team is None:
            return await _on_a_thread(work)
        return await self.team.threads.run(holder.tenant, holder.person, work)

    def _call(self, ctx: Any, tool: AgentTool, request: Any, caller: Caller) -> ToolAnswer:
        if _holder(ctx) is not None:
            check_offered(tool.operation.name)
        with self._home(ctx, caller.agent) as m:
            if not m.settings.enabled:
                return ToolAnswer(SWITCHED_OFF, {"enabled": False})
            return call(tool, m, request, caller)

    def _caller(self, ctx: Any, params: types.CallToolRequestParams) -> Caller:
        meta = ctx.meta or {}
        session = given_name(meta.get(SESSION)) or self._session or _session_of(ctx)
        return Caller(
            source=AGENT,
            agent=self._author(ctx),
            session=session if self._profile != "recall" else None,
            key=given_name(meta.get(KEY)),
            request=self._request(ctx, params),
        )

    def _author(self, ctx: Any) -> str | None:
        """Who writes: the agent of the token or of the set-up, else the client by its own name."""
        holder = _holder(ctx)
        named = self._agent if holder is None else holder.agent
        return named or _client(ctx)

    def _request(self, ctx: Any, params: types.CallToolRequestParams) -> str | None:
        """A name for this request. A repetition on the same connection has the same name.

        HTTP requests share no connection; there only a key in `_meta` marks a repetition.
        """
        if ctx.request is not None or ctx.request_id is None:
            return None
        text = json.dumps([self._connection, ctx.request_id, params.name, params.arguments], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    async def list_resources(self, ctx: Any, _params: Any) -> types.ListResourcesResult:
        """List the always-loaded files; a search finds everything else."""

        def there() -> list[str]:
            with self._home(ctx, self._author(ctx)) as m:
                if not m.settings.enabled:
                    return []
                paths = {m.entries.path_of(tier): None for tier in ("semantic", "procedural", "pinned")}
                known = set(m.vault().list().files)
                return [path for path in paths if path in known]

        try:
            paths = await self._run(ctx, there)
        except MemoroError:  # no vault: there is none to list
            paths = []
        listed = [
            types.Resource(uri=NOTE + quote(path), name=path, mime_type="text/markdown", description="always loaded")
            for path in paths
        ]
        if _shows_apps(ctx):
            listed += [
                types.Resource(
                    uri=extension.address(view), name=view, title=document.title(view),
                    mime_type=extension.MIME_TYPE, _meta=extension.RESOURCE_META,
                )
                for view in VIEWS
            ]  # fmt: skip
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
        view = next((one for one in VIEWS if extension.address(one) == uri), None)
        if view is not None and _shows_apps(ctx):
            page = types.TextResourceContents(
                uri=uri, mime_type=extension.MIME_TYPE, text=document.html(view), _meta=extension.RESOURCE_META
            )
            return types.ReadResourceResult(contents=[page])
        try:
            target, mime = _target(uri)
            found = await self._run(ctx, lambda: self._resource(ctx, target))
        except MemoroError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": uri}) from error
        contents = types.TextResourceContents(uri=uri, mime_type=mime, text=found.text)
        return types.ReadResourceResult(contents=[contents])

    def _resource(self, ctx: Any, target: str) -> Text:
        with self._home(ctx, self._author(ctx)) as m:
            if not m.settings.enabled:
                raise QueryError(SWITCHED_OFF)
            return m.get(target, filter=OutputFilter(m.secrets()))

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
        text = instructions.prompt_text(prompt, (params.arguments or {}).get("topic", ""), self._profile)
        message = types.PromptMessage(role="user", content=_text(text))
        return types.GetPromptResult(description=prompt.about, messages=[message])


async def _on_a_thread(work: Callable[[], Any]) -> Any:
    """Run the work on a thread. A cancelled request returns at once; a write still ends as it would have."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _short(sentence: str) -> str:
    """Cut the middle out of a sentence that quotes an endless argument: a model would read all of it."""
    if len(sentence) <= _MOST_SAID:
        return sentence
    return f"{sentence[: _MOST_SAID // 2]} … {sentence[-_MOST_SAID // 2 :]}"


def _client(ctx: Any) -> str | None:
    """The client's name for itself, which marks what it writes: `Claude Code` is claude-code. A header goes first."""
    header = ctx.request.headers.get(AGENT_HEADER) if ctx.request is not None else None
    params = ctx.session.client_params
    name = header or (params.client_info.name if params is not None else "")
    return client_name(name)


def _shows_apps(ctx: Any) -> bool:
    """Return whether a host shows our views. A team's server has none: they are about notes on one machine."""
    return _holder(ctx) is None and extension.shows_apps(ctx.session.client_capabilities)


def _holder(ctx: Any) -> TokenHolder | None:
    """As whom a team token acts, as the guard found; None without one."""
    return ctx.request.scope.get("holder") if ctx.request is not None else None


def _note(ctx: Any, *, operation: str | None = None, error: str | None = None) -> None:
    """Record for log and metrics what only we know of a request over HTTP."""
    record: RequestRecord | None = ctx.request.scope.get("record") if ctx.request is not None else None
    if record is not None:
        record.operation, record.error = operation or record.operation, error or record.error


def _session_of(ctx: Any) -> str | None:
    return given_name(ctx.request.headers.get(SESSION_HEADER)) if ctx.request is not None else None


def _target(uri: str) -> tuple[str, str]:
    if uri.startswith(NOTE) and len(uri) > len(NOTE):
        return unquote(uri.removeprefix(NOTE)), "text/markdown"
    if uri.startswith(MEMORY):
        return f"memory:{unquote(uri.removeprefix(MEMORY))}", "text/plain"
    raise QueryError(f"There is no resource {uri!r}. There are {NOTE}PATH and {MEMORY}N.")
