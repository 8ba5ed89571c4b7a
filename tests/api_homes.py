"""A home with something of everything, the HTTP API on it behind its guard, and a client that needs no socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import memoro
from memoro.api.app import Api
from memoro.api.calling import Calls
from memoro.api.cursors import Cursors
from memoro.mcp.clients import Homes
from memoro.operations.operation import Access
from memoro.serve.access_rules import AccessRules
from memoro.serve.asgi import AsgiMessage, AsgiScope
from memoro.serve.guard import Guard
from memoro.serve.limits import RateLimit
from memoro.store.opening import make_home
from tests.conftest import write_vault

PORT = 7391
TOKENS: dict[Access, str] = {"read": "r" * 64, "write": "w" * 64, "admin": "a" * 64}
HOST = f"127.0.0.1:{PORT}"
NOTES = {
    "tea.md": "# Tea\n\nGreen tea at 80 degrees. #tea\n\nBlack tea at 95 degrees.\n",
    "daily/2026-03-05.md": "- 09:00 Bought a teapot in Kyoto\n",
    "MEMORY.md": "# Memory\n\n- The user drinks tea ^aaaaaa\n",
}


class ApiAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def fill(m: memoro.Workspace) -> None:
    """Leave something of every kind in a home."""
    for text in ("Green tea needs 80 degrees", "The teapot is blue", "Lena drinks no coffee", "An old cup"):
        m.memories.store(text, ["tea"])
    m.memories.supersede(2, 1)
    m.memories.archive(4)
    m.memories.reinforce(1, session="s1")
    m.experiences.record("error_recovery", "brew green tea", "use water of 80 degrees", tags=["tea"])
    m.experiences.prefer("cups", "blue ones")
    m.narratives.update("The teapot was bought", [1])
    m.recall("How warm is the water for green tea?", session="s1")
    m.recall("What does Lena drink?", session="s2")
    m.remember("Tea is at five", by="agent")
    m.remember("The kettle is in the kitchen")
    m.backups.create()


class ApiHome:
    """The API of one home, called in this process."""

    def __init__(self, folder: Path) -> None:
        write_vault(folder / "vault", NOTES)
        make_home(str(folder / "home"))
        self.vault = folder / "vault"
        self.workspace = memoro.open(folder / "home", self.vault)
        fill(self.workspace)
        self.opened: list[str | None] = []
        self.reported: list[str] = []
        self.homes = Homes(self._open)
        self._folder = folder
        api = Api(Calls(self.workspace, self.homes, Cursors("secret")), self.reported.append)
        self.rules = AccessRules.local(PORT, TOKENS["write"]).with_tokens(read=TOKENS["read"], admin=TOKENS["admin"])
        self.app = Guard(api, self.rules, RateLimit(10**9))
        self._loop = asyncio.new_event_loop()

    def _open(self, client: str | None) -> memoro.Workspace:
        self.opened.append(client)
        return memoro.open(self._folder / "home", self.vault, client=client or "")

    def get(self, path: str, query: Mapping[str, Any] | None = None, token: Access = "admin") -> ApiAnswer:
        return self.ask("GET", path, query=urlencode(query or {}, doseq=True).encode(), token=token)

    def post(
        self, path: str, arguments: Mapping[str, Any] | None = None, token: Access = "admin", **headers: str
    ) -> ApiAnswer:
        body = json.dumps(arguments or {}).encode()
        return self.ask("POST", path, body=body, token=token, headers={"content-type": "application/json", **headers})

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: bytes = b"",
        body: bytes = b"",
        token: Access | None = "admin",
        headers: Mapping[str, str | None] | None = None,
    ) -> ApiAnswer:
        """A request that is right, but for the headers that are changed; None leaves one out."""
        sent = {"host": HOST, **({"authorization": f"Bearer {TOKENS[token]}"} if token else {}), **(headers or {})}
        scope: AsgiScope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query,
            "headers": [
                (name.lower().replace("_", "-").encode(), value.encode("latin-1", "replace"))
                for name, value in sent.items()
                if value is not None
            ],
        }
        return self._loop.run_until_complete(self._run(scope, body))

    async def _run(self, scope: AsgiScope, body: bytes) -> ApiAnswer:
        sent: list[AsgiMessage] = []

        async def receive() -> AsgiMessage:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: AsgiMessage) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return ApiAnswer(sent[0]["status"], headers, b"".join(one.get("body", b"") for one in sent[1:]))

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self.homes.close()
        self.workspace.close()
