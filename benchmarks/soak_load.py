"""Who uses the home during a soak: sessions of agents, an editor, MCP and HTTP clients, the page, and its owner.

Each is a class whose `turn` does one thing, for real, and tells the oracle what was acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks import corpus
from benchmarks.soak_home import PEOPLE, PLACES, THINGS, FastClock, Programs, Served, SoakHome, sentence
from benchmarks.soak_oracle import Oracle

_TRIES = 6
_RETRY_SECONDS = 1.0
_EDITED_NOTES = 80


class Problems:
    """What went wrong in a client, a line each, also in a file to look at meanwhile. Threads share it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append(line)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


class World(NamedTuple):
    """What all clients share."""

    home: SoakHome
    clock: FastClock
    programs: Programs
    served: Served
    oracle: Oracle
    problems: Problems
    statuses: Counter[str]


class User(Protocol):
    """One who does a thing at a time."""

    name: str
    pause: float  # seconds between two things

    def turn(self) -> None: ...

    def end(self) -> None: ...


class Answer(NamedTuple):
    status: int
    document: Any


class HttpClient:
    """Asks the server with one of its tokens, on a new connection each time."""

    def __init__(self, world: World, scope: str, agent: str = "") -> None:
        self._world = world
        self._headers = {
            "Authorization": f"Bearer {world.served.tokens[scope]}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **({"Memoro-Agent": agent, "Memoro-Session": f"http-{agent}"} if agent else {}),
        }

    def ask(self, path: str, body: Any = None, key: str = "") -> Answer:
        """Ask, and again where the server is busy or the connection was ended. Status 0: there was no answer."""
        headers = {**self._headers, **({"Idempotency-Key": key} if key else {})}
        data = None if body is None else json.dumps(body)
        found = Answer(0, None)
        for _ in range(_TRIES if key or body is None else 1):
            connection = HTTPConnection("127.0.0.1", self._world.served.port, timeout=60)
            try:
                connection.request("GET" if body is None else "POST", path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                found = Answer(answer.status, json.loads(text) if text else None)
                self._world.statuses[str(answer.status)] += 1
                if answer.status >= 500:
                    self._world.problems.add(f"{path}: {answer.status} {text.decode(errors='replace')[:400]}")
            except (OSError, HTTPException, ValueError) as error:
                self._world.statuses[type(error).__name__] += 1
            finally:
                connection.close()
            if found.status not in (0, 429, 503):
                break
            threading.Event().wait(_RETRY_SECONDS)
        return found


def unique_fact(rng: random.Random) -> tuple[str, str]:
    """A fact, and a word in it that stands nowhere else."""
    token = f"mark{uuid.UUID(int=rng.getrandbits(128)).hex[:16]}"
    return f"{sentence(rng)} Its sign is {token}.", token


class HttpUser:
    """A program that searches as somebody types, lists, stores, corrects, undoes and adds lines to daily notes."""

    name, pause = "http", 4.0

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._rng = random.Random(seed)
        self._writer = HttpClient(world, "write", "status-bar")
        self._owner = HttpClient(world, "admin")
        self._mine: list[int] = []

    def turn(self) -> None:
        self._rng.choice((self._type, self._lists, self._store, self._rate, self._replace, self._undo, self._daily))()

    def _type(self) -> None:
        query = f"where is the {self._rng.choice(THINGS)} of {self._rng.choice(PEOPLE)}"
        for length in range(9, len(query), 4):
            self._writer.ask(f"/api/v1/search?query={query[:length].replace(' ', '+')}&limit=6")

    def _lists(self) -> None:
        for path in ("memory/list?limit=50", "log?limit=20", "session/list?limit=20", "proposals", "status"):
            self._owner.ask(f"/api/v1/{path}")

    def _store(self, supersedes: Sequence[int] = ()) -> int | None:
        content, token = unique_fact(self._rng)
        body = {"content": content, "tags": "soak", **({"supersedes": list(supersedes)} if supersedes else {})}
        answer = self._writer.ask("/api/v1/memory/store", body, key=token)
        if answer.status != 200:
            self._world.oracle.unanswered(content)
            return None
        number = int(answer.document["id"])
        self._world.oracle.stored(number, content, token)
        self._mine = [*self._mine[-30:], number]
        return number

    def _rate(self) -> None:
        if not self._mine:
            return
        number, verb = self._rng.choice(self._mine), self._rng.choice(("reinforce", "demote"))
        answer = self._writer.ask(f"/api/v1/memory/{verb}", {"id": number}, key=self._rng.randbytes(8).hex())
        if answer.status == 200:
            self._world.oracle.rated(number, 3 if verb == "reinforce" else -1)
        elif answer.status != 404:  # 404: it was pruned meanwhile
            self._world.problems.add(f"{verb} {number}: {answer}")

    def _replace(self) -> None:
        if self._mine:
            self._store(supersedes=[self._mine.pop(self._rng.randrange(len(self._mine)))])

    def _undo(self) -> None:
        """Store something, and undo that."""
        number = self._store()
        if number is None:
            return
        self._mine.remove(number)
        changes = self._owner.ask(f"/api/v1/memory/history?id={number}").document["changes"]
        stored = next(change["id"] for change in changes if change["operation"] == "store")
        answer = self._owner.ask("/api/v1/undo", {"change": stored}, key=self._rng.randbytes(8).hex())
        if answer.status == 200 and answer.document["changes"]:
            self._world.oracle.ended(number, "undone")
        else:
            self._world.oracle.ended(number, "uncertain")
            self._world.problems.add(f"undo {stored}: {answer}")

    def _daily(self) -> None:
        text = f"Line {self._rng.randbytes(8).hex()} about the {self._rng.choice(THINGS)}"
        answer = self._writer.ask("/api/v1/daily", {"text": text}, key=text[5:21])
        if answer.status == 200:
            self._world.oracle.written(text)
        else:
            self._world.problems.add(f"daily: {answer}")

    def end(self) -> None:
        pass


class Owner:
    """Decides on proposals, forgets a memory now and then, and rebuilds the index a few times."""

    name = "owner"

    def __init__(self, world: World, seed: int, *, pause: float, rebuild_every: int) -> None:
        self.pause = pause
        self._world = world
        self._rng = random.Random(seed)
        self._client = HttpClient(world, "admin")
        self._turns = 0
        self._rebuild_every = rebuild_every

    def turn(self) -> None:
        self._turns += 1
        if self._turns % self._rebuild_every == 0:
            self._rebuild()
        elif self._turns % 4 == 1:
            self._forget()
        else:
            self._review()

    def _rebuild(self) -> None:
        done = self._world.programs.run("sync", "--force", seconds=600)
        self._world.oracle.done["rebuilds"] += 1
        if done.returncode:
            self._world.problems.add(f"sync --force: exit code {done.returncode}: {done.stderr.strip()}")

    def _forget(self) -> None:
        content, token = unique_fact(self._rng)
        stored = self._client.ask("/api/v1/memory/store", {"content": content}, key=token)
        if stored.status != 200:
            self._world.oracle.unanswered(content)
            return
        number = int(stored.document["id"])
        self._world.oracle.stored(number, content, token)
        self._client.ask(f"/api/v1/memory/query?query={content.split(' Its')[0].replace(' ', '+')}")
        threading.Event().wait(self._rng.random() * 3)  # it may come into an index, and into a backup
        answer = self._client.ask("/api/v1/memory/forget", {"numbers": [number], "yes": True})
        if answer.status == 200:
            self._world.oracle.ended(number, "forgotten", answer.document["backups"])
        else:
            self._world.oracle.ended(number, "uncertain")
            self._world.problems.add(f"forget {number}: {answer}")

    def _review(self) -> None:
        waiting = self._client.ask("/api/v1/proposals")
        for one in (waiting.document or {}).get("proposals", [])[:2]:
            verb = self._rng.choice(("accept", "reject"))
            answer = self._client.ask(f"/api/v1/{verb}", {"id": one["id"]})
            self._world.oracle.done[f"proposals, {verb}"] += answer.status == 200

    def end(self) -> None:
        pass


class Tools(Protocol):
    """The tools of a server."""

    def call(self, name: str, given: dict[str, Any]) -> Any:
        """The structured answer of a tool, or None where there was none."""
        ...

    def end(self) -> None: ...


class McpUser:
    """An agent that calls tools."""

    pause = 5.0

    def __init__(self, world: World, name: str, tools: Tools, seed: int) -> None:
        self.name = name
        self._world = world
        self._call = tools.call
        self.end = tools.end
        self._rng = random.Random(seed)
        self._mine: list[int] = []

    def turn(self) -> None:
        self._rng.choice((self._search, self._recall, self._store, self._reinforce, self._replace))()

    def _search(self) -> None:
        self._call("search", {"query": f"{self._rng.choice(PEOPLE)} {self._rng.choice(PLACES)}"})

    def _recall(self) -> None:
        self._call("recall", {"message": f"Where did {self._rng.choice(PEOPLE)} put the {self._rng.choice(THINGS)}?"})

    def _store(self, supersedes: Sequence[int] = ()) -> None:
        content, token = unique_fact(self._rng)
        given = {"content": content, **({"supersedes": list(supersedes)} if supersedes else {})}
        answer = self._call("memory_store", given)
        if answer is None:
            self._world.oracle.unanswered(content)
            return
        self._world.oracle.stored(int(answer["id"]), content, token)
        self._mine = [*self._mine[-30:], int(answer["id"])]

    def _reinforce(self) -> None:
        if self._mine:
            number = self._rng.choice(self._mine)
            if self._call("memory_reinforce", {"id": number}) is not None:
                self._world.oracle.rated(number, 3)

    def _replace(self) -> None:
        if self._mine:
            self._store(supersedes=[self._mine.pop(self._rng.randrange(len(self._mine)))])


class HttpTools:
    """Calls tools over HTTP."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._client = HttpClient(world, "write", "http-agent")
        self._number = 0

    def call(self, name: str, given: dict[str, Any]) -> Any:
        self._number += 1
        params = {"name": name, "arguments": given}
        message = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
        answer = self._client.ask("/mcp", message)
        return tool_result(self._world, name, answer.document) if answer.status == 200 else None

    def end(self) -> None:
        pass


class StdioTools:
    """Calls tools of `memoro mcp`, which is started anew after a hundred calls, as hosts do with each session."""

    _HELLO = (
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    )  # fmt: skip

    def __init__(self, world: World) -> None:
        self._world = world
        self._number = 0
        self._start()

    def call(self, name: str, given: dict[str, Any]) -> Any:
        self._number += 1
        if self._number % 100 == 0:
            self.end()
            self._start()
        params = {"name": name, "arguments": given}
        self._send({"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params})
        return tool_result(self._world, name, self._read(self._number))

    def _start(self) -> None:
        self._process = self._world.programs.start("mcp", "--profile", "full")
        for message in self._HELLO:
            self._send(message)
        self._read(0)

    def _send(self, message: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self, number: int) -> Any:
        assert self._process.stdout
        while line := self._process.stdout.readline():
            if (message := json.loads(line)).get("id") == number:
                return message
        return None

    def end(self) -> None:
        with suppress(OSError):
            self._process.communicate(timeout=30)


def tool_result(world: World, name: str, message: Any) -> Any:
    """What a tool answered, as data; None, and a problem told, where it failed. A memory may have been pruned."""
    result = (message or {}).get("result")
    if result is None or result.get("isError"):
        if "There is no memory" not in json.dumps(message):
            world.problems.add(f"{name}: {json.dumps(message)[:300]}")
        return None
    return result.get("structuredContent", {})


class Editor:
    """Saves notes in place and by renaming, renames, deletes and restores them."""

    name, pause = "editor", 5.0

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._rng = random.Random(seed)
        self._language = corpus.Language(seed)
        self._texts: dict[str, str] = {}
        self._deleted: dict[str, str] = {}
        self._number = 0

    def turn(self) -> None:
        acts = (self._save, self._save, self._replace_file, self._replace_file, self._rename, self._delete)
        act = self._rng.choice((*acts, self._restore))
        if len(self._texts) < 10 or (len(self._texts) < _EDITED_NOTES and self._rng.random() < 0.3):
            act = self._new
        act()

    def _new(self) -> None:
        self._number += 1
        self._write(f"edited/{self._number % 7}/note {self._number}.md", self._text(), by_rename=False)

    def _save(self) -> None:
        self._write(self._any(), self._text(), by_rename=False)

    def _replace_file(self) -> None:
        self._write(self._any(), self._text(), by_rename=True)

    def _rename(self) -> None:
        self._number += 1
        old, new = self._any(), f"edited/{self._number % 7}/renamed {self._number}.md"
        (self._world.home.vault / new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(self._world.home.vault / old, self._world.home.vault / new)
        text = self._texts.pop(old)
        self._texts[new] = text
        self._world.oracle.deleted(old)
        self._world.oracle.saved(new, text)

    def _delete(self) -> None:
        path = self._any()
        (self._world.home.vault / path).unlink()
        self._deleted = dict([*self._deleted.items(), (path, self._texts.pop(path))][-20:])
        self._world.oracle.deleted(path)

    def _restore(self) -> None:
        if self._deleted:
            path, text = self._deleted.popitem()
            self._write(path, text, by_rename=True)

    def _any(self) -> str:
        return self._rng.choice(sorted(self._texts))

    def _text(self) -> str:
        return f"{self._language.note()}\n{sentence(self._rng)}\n"

    def _write(self, path: str, text: str, *, by_rename: bool) -> None:
        file = self._world.home.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        target = file.with_name(f".{file.name}.swp") if by_rename else file
        target.write_text(text, encoding="utf-8")
        now = self._world.clock.now().timestamp()
        os.utime(target, (now, now))
        if by_rename:
            os.replace(target, file)
        self._texts[path] = text
        self._world.oracle.saved(path, text)

    def end(self) -> None:
        pass


class AgentSession:
    """Sessions of Claude Code in one project, one after the other: its log, and an event at every moment.

    A session has some twenty events. One in eight ends without an end, as when a host is killed.
    """

    pause = 3.0

    def __init__(self, world: World, project: str, seed: int) -> None:
        self.name = f"sessions of {project}"
        self._world = world
        self._rng = random.Random(seed)
        self._folder = world.home.folder / "src" / project
        self._folder.mkdir(parents=True, exist_ok=True)
        self._logs = world.home.logs / f"-{project}"
        self._logs.mkdir(parents=True, exist_ok=True)
        self._steps: list[Callable[[], None]] = []

    def turn(self) -> None:
        if not self._steps:
            self._begin()
        self._steps.pop(0)()

    def _begin(self) -> None:
        self._session = str(uuid.UUID(int=self._rng.getrandbits(128)))
        self._log = self._logs / f"{self._session}.jsonl"
        self._parent: str | None = None
        self._records = 0
        self._world.oracle.done["sessions"] += 1
        steps: list[Callable[[], None]] = [lambda: self._event("SessionStart", source="startup")]
        for number in range(self._rng.randint(3, 6)):
            steps += [self._prompt, self._tool, self._answer]
            if number == 2:
                steps.append(lambda: self._event("PreCompact", trigger="auto", custom_instructions=""))
                steps.append(lambda: self._event("SessionStart", source="compact"))
        if self._rng.random() > 1 / 8:
            steps.append(lambda: self._event("SessionEnd", reason="prompt_input_exit"))
        self._steps = steps

    def _prompt(self) -> None:
        person, thing = self._rng.choice(PEOPLE), self._rng.choice(THINGS)
        text = self._rng.choice(
            (
                f"Where does {person} keep the {thing}?",
                f"{sentence(self._rng)} Please write that down.",
                f"I prefer {self._rng.choice(('tabs', 'spaces', 'short names', 'long tests'))} in the {thing}.",
                f"Why did the build of the {thing} fail yesterday?",
                f"Always ask {person} before you change the {thing}.",
                "thanks",
            )
        )
        self._event("UserPromptSubmit", prompt=text)
        self._append("user", {"role": "user", "content": text})

    def _tool(self) -> None:
        command = self._rng.choice(("make test", "pytest -q", "npm run build", "git status", "cargo check"))
        self._event("PreToolUse", tool_name="Bash", tool_input={"command": command})
        name = f"toolu_{self._session[:6]}{self._records}"
        call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
        self._append("assistant", {"role": "assistant", "content": [call]})
        failed = self._rng.random() < 0.3
        said = "Error: the port is taken\n" * 20 if failed else "all passed\n" * 40
        result = {"type": "tool_result", "tool_use_id": name, "content": said, "is_error": failed}
        self._append("user", {"role": "user", "content": [result]}, toolUseResult={})

    def _answer(self) -> None:
        text = f"{sentence(self._rng)} {sentence(self._rng)}"
        self._append("assistant", {"role": "assistant", "content": [{"type": "text", "text": text}]})
        self._event("Stop", stop_hook_active=False, last_assistant_message=text)

    def _append(self, kind: str, message: object, **more: object) -> None:
        self._records += 1
        name, now = f"{self._session[:8]}-{self._records:04}", self._world.clock.now()
        record = {
            "type": kind, "uuid": name, "parentUuid": self._parent, "sessionId": self._session, "isSidechain": False,
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"), "cwd": str(self._folder),
            "gitBranch": "main", "version": "2.1.300", "userType": "external", "message": message, **more,
        }  # fmt: skip
        self._parent = name
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        os.utime(self._log, (now.timestamp(), now.timestamp()))

    def _event(self, name: str, **more: object) -> None:
        event = {
            "session_id": self._session, "transcript_path": str(self._log), "cwd": str(self._folder),
            "hook_event_name": name, "permission_mode": "default", **more,
        }  # fmt: skip
        options = ("--only-served",) if name == "PreToolUse" else ()
        done = self._world.programs.run("hook", "claude", *options, given=json.dumps(event), seconds=60)
        self._world.oracle.done["hook events"] += 1
        if "TimeoutError: no answer within" in done.stderr:  # the machine was busy; the host goes on without
            self._world.oracle.done["hooks that gave up"] += 1
        elif done.returncode or done.stderr.strip():
            self._world.problems.add(f"hook {name}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
        if done.stdout.strip():
            self._world.oracle.done["hook answers with context"] += 1
            json.loads(done.stdout)

    def end(self) -> None:
        pass


class Browser:
    """The page on Today, open in Chromium all the time. `heap` and `nodes` are those of its last look."""

    name, pause = "browser", 10.0

    def __init__(self, world: World, chromium: str) -> None:
        self._world = world
        self._chromium = chromium
        self._stop: Callable[[], None] = lambda: None
        self._page: Any = None
        self._turns = 0
        self.heap: int | None = None
        self.nodes: int | None = None

    def _open(self) -> None:
        from playwright.sync_api import sync_playwright

        playwright = sync_playwright().start()
        self._stop = playwright.stop
        launched = playwright.chromium.launch(executable_path=self._chromium, args=["--no-sandbox"])
        context = launched.new_context(viewport={"width": 1280, "height": 800})
        context.on("weberror", lambda error: self._world.problems.add(f"browser: {error.error}"))
        self._page = context.new_page()
        self._page.on("response", lambda answer: self._count(answer.status))
        owner = HttpClient(self._world, "admin")
        address = f"http://127.0.0.1:{self._world.served.port}"
        self._page.goto(address + owner.ask("/page/code", {}).document["path"])
        self._page.goto(f"{address}/")
        self._devtools = context.new_cdp_session(self._page)
        self._devtools.send("Performance.enable")

    def _count(self, status: int) -> None:
        self._world.statuses[str(status)] += 1
        self._world.oracle.done["answers to the browser"] += 1

    def turn(self) -> None:
        if self._page is None:
            self._open()
        self._page.wait_for_timeout(200)  # playwright hands over its events here
        self._turns += 1
        if self._turns % 3 == 1:
            for _ in range(2):  # nodes that the first collection lets go are gone after the second
                self._devtools.send("HeapProfiler.collectGarbage")
                self._page.wait_for_timeout(100)
            found = {one["name"]: one["value"] for one in self._devtools.send("Performance.getMetrics")["metrics"]}
            self.heap, self.nodes = int(found["JSHeapUsedSize"]), int(found["Nodes"])

    def end(self) -> None:
        if self._page is not None:
            self._page.context.browser.close()
            self._stop()


def run_user(user: User, world: World, stop: threading.Event, pace: float) -> None:
    """Let a user do one thing after the other until the soak ends. What it does not expect is told."""
    rng = random.Random(user.name)
    while not stop.wait(user.pause / pace * (0.5 + rng.random())):
        try:
            user.turn()
        except Exception as error:  # a client that dies would hide what it was to find
            world.problems.add(f"{user.name}: {type(error).__name__}: {error}")
    with suppress(Exception):
        user.end()


def chromium() -> str | None:
    named = os.environ.get("MEMORO_CHROMIUM", "/usr/bin/chromium")
    return named if Path(named).exists() else None
