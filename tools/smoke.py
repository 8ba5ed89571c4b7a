"""Installs the wheel into empty environments and tries it there, with each extra: `make smoke`.

For each set of extras it prints what they add to a bare installation, and whether what the extra is for works with
that extra alone. It needs a package index, and no compiler: only wheels are installed.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import HTTPCookieProcessor, build_opener

from tools.package import ROOT, build_twice
from tools.smoke_story import Installed, SmokeFailed, base_story, expect, median

ROUNDS = 5  # of every measured start
LOADS = {  # what the first use of an extra imports
    "": "memoro.cli.run",
    "anthropic": "anthropic.lib.tools",
    "fastembed": "fastembed",
    "keyring": "keyring",
    "langgraph": "memoro.adapters.langgraph",
    "mcp": "memoro.mcp.server",
    "model2vec": "model2vec",
    "openai-agents": "memoro.adapters.openai_agents, agents",
    "postgres": "psycopg",
    "pydantic-ai": "memoro.adapters.pydantic_ai",
    "remote": "httpx, stamina",
    "ui": "starlette.applications, uvicorn, jinja2, markdown_it, nh3",
    "zstd": "backports.zstd",
}


class Environment(NamedTuple):
    """A virtual environment with the wheel and some extras."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    def memoro(self, home: Path, **more: str) -> Installed:
        home.mkdir(parents=True)
        return Installed((str(self.folder / "bin" / "memoro"),), home, more)

    def script(self, text: str, home: Path) -> str:
        """Run a program in this environment, on a home of its own."""
        home.mkdir(parents=True, exist_ok=True)
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "MEMORO_HOME": str(home / ".memoro")}
        done = subprocess.run(
            [self.python, "-P", "-c", text], env=environment, cwd=home, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SmokeFailed(done.stdout + done.stderr)
        return done.stdout


# ------ what each extra is for


def _mcp(there: Environment, folder: Path) -> str:
    client = {"clientInfo": {"name": "smoke", "version": "1"}, "capabilities": {}, "protocolVersion": "2025-06-18"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    memoro = there.memoro(folder / "mcp")
    with subprocess.Popen(
        [*memoro.program, "mcp"], env=memoro.environment, cwd=memoro.folder, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    expect(answer["result"]["serverInfo"]["name"], "memoro")
    return "`memoro mcp` answers initialize"


def _ui(there: Environment, folder: Path) -> str:
    memoro = there.memoro(folder / "ui")
    (folder / "ui" / "notes").mkdir()
    memoro.run("init", str(folder / "ui" / "notes"))
    with subprocess.Popen(
        [*memoro.program, "ui", "--print", "--port", "0"], env=memoro.environment, cwd=memoro.folder,
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        try:
            link = next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
            browser = build_opener(HTTPCookieProcessor())  # the link lets in once, by a cookie
            with browser.open(link, timeout=30) as page:
                expect(page.read().decode(), "<html", "Memoro")
        finally:
            process.terminate()
    return "`memoro ui` serves the page"


@contextmanager
def _standin() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.standin", "--flavour", "ollama"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        yield server.stdout.readline().strip()
        server.stdin.close()


def _remote(there: Environment, folder: Path) -> str:
    memoro = there.memoro(folder / "remote")
    notes = folder / "remote" / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Garden\n\nThe tomatoes need water.\n")
    memoro.run("init", str(notes))
    with _standin() as url:
        for key, value in (("url", url), ("model", "text-embedding-3-small"), ("provider", "compatible")):
            memoro.run("config", "set", f"embedding.{key}", value)
        memoro.run("sync", "--yes")
        expect(memoro.run("status"), "meaning by compatible/")
    return "a model of a server on loopback fills the index"


_KEYRING = """
import keyring
from keyring.backend import KeyringBackend
from memoro.providers.keys import read_key
class Kept(KeyringBackend):
    priority = 1
    def get_password(self, service, name):
        return f"{name} of {service}: gooseberry crumble".replace(" ", "-")
    def set_password(self, service, name, password):
        raise NotImplementedError
keyring.set_keyring(Kept())
print(read_key("keyring:memoro/openai", {}).replace("-", " "))
"""


@contextmanager
def _database() -> Iterator[tuple[str, str]]:
    text = (
        "import sys; from tests.postgres import server; s = server(); print(s.url, s.new_tenant(), flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin and server.stdout
        url, tenant = server.stdout.readline().split()
        yield url, tenant
        server.stdin.close()


def _postgres(there: Environment, folder: Path) -> str:
    refused = there.memoro(folder / "refused")
    said = refused.run("config", "set", "ledger.url", "postgresql://a@127.0.0.1:1/memoro", code=4)
    expect(said, "127.0.0.1")
    memoro = there.memoro(folder / "postgres")
    with _database() as (url, tenant):
        home = folder / "postgres" / ".memoro"
        home.mkdir(mode=0o700)
        (home / "memoro.toml").write_text(f'[ledger]\nurl = "{url}"\ntenant = "{tenant}"\n')
        memoro.run("memory", "store", "The spare key is at Ada's.")
        expect(memoro.run("memory", "query", "spare key"), "at Ada's")
    return "a memory is kept in PostgreSQL; a refused connection is named"


def _zstd(there: Environment, folder: Path) -> str:
    from backports import zstd

    logs = folder / "zstd" / "logs"
    memoro = there.memoro(folder / "zstd")
    logs.mkdir()
    lines = [
        {"role": "user", "content": "The spare lens is in the green case.", "time": "2026-05-01T10:00:00Z"},
        {"role": "assistant", "content": "Noted.", "time": "2026-05-01T10:00:05Z"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (logs / "lunch.jsonl.zst").write_bytes(zstd.compress(text.encode()))
    (folder / "zstd" / "notes").mkdir()
    memoro.run("init", str(folder / "zstd" / "notes"))
    memoro.run("transcripts", "add", str(logs))
    expect(memoro.run("search", "spare lens"), "green case")
    return "a packed log is searched"


def _local_model(provider: str) -> Callable[[Environment, Path], str]:
    def check(there: Environment, folder: Path) -> str:
        memoro = there.memoro(folder / provider)
        notes = folder / provider / "notes"
        notes.mkdir()
        (notes / "a.md").write_text("# Garden\n\nThe tomatoes need water.\n")
        memoro.run("init", str(notes))
        memoro.run("config", "set", "embedding.provider", provider)
        memoro.run("config", "set", "embedding.model", str(folder / provider / "none"))
        said = memoro.run("search", "tomatoes")
        expect(said, "1. Garden", "none")
        return "without a model, says so and searches with the built-in one"

    return check


_LANGGRAPH = """
import memoro
from memoro.adapters.langgraph import MemoroStore
with memoro.open() as m:
    store = MemoroStore(m)
    store.put(("users", "ada"), "food", {"likes": "gooseberry crumble"})
    print(store.get(("users", "ada"), "food").value)
"""
_OPENAI_AGENTS = """
import asyncio, memoro
from agents import Agent
from memoro.adapters.openai_agents import MemoroSession
async def talk(m):
    session = MemoroSession("ada-17", m)
    await session.add_items([{"role": "user", "content": "I like gooseberry crumble."}])
    print(await session.get_items())
with memoro.open() as m:
    asyncio.run(talk(m))
"""
_PYDANTIC_AI = """
import memoro
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from memoro.adapters.pydantic_ai import Memory
def model(messages, info):
    call = ToolCallPart("search", {"query": "What does Ada like?"})
    return ModelResponse(parts=[call if len(messages) == 1 else TextPart("Done.")])
with memoro.open() as m:
    m.memories.store("Ada likes gooseberry crumble.")
    agent = Agent(FunctionModel(model), capabilities=[Memory(m)])
    print(agent.run_sync("What does she like?").all_messages())
"""
_ANTHROPIC = """
import os, memoro
os.makedirs("notes", exist_ok=True)
with memoro.open(vault="notes") as m:
    from memoro.notes.memory_tool import for_anthropic
    from anthropic.types import beta
    tool = for_anthropic(m.memory_tool)
    text = "Ada likes gooseberry crumble."
    create, view = beta.BetaMemoryTool20250818CreateCommand, beta.BetaMemoryTool20250818ViewCommand
    tool.create(create(command="create", path="/memories/food.md", file_text=text))
    print(tool.view(view(command="view", path="/memories/food.md")))
"""


def _adapter(text: str, said: str) -> Callable[[Environment, Path], str]:
    def check(there: Environment, folder: Path) -> str:
        expect(there.script(text, folder / "adapter"), "gooseberry crumble")
        return said

    return check


FEATURES: dict[str, Callable[[Environment, Path], str]] = {
    "anthropic": _adapter(_ANTHROPIC, "its memory tool writes a note and shows it"),
    "fastembed": _local_model("fastembed"),
    "keyring": _adapter(_KEYRING, "a key is read from a keyring"),
    "langgraph": _adapter(_LANGGRAPH, "its store keeps a value and returns it"),
    "mcp": _mcp,
    "model2vec": _local_model("model2vec"),
    "openai-agents": _adapter(_OPENAI_AGENTS, "its session keeps a message and returns it"),
    "postgres": _postgres,
    "pydantic-ai": _adapter(_PYDANTIC_AI, "an agent's tool finds a memory"),
    "remote": _remote,
    "ui": _ui,
    "zstd": _zstd,
}


# ------ measuring


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())


def _install(folder: Path, wheel: Path, extra: str) -> tuple[Environment, int]:
    """Make an environment and install the wheel with an extra; returns it and the bytes that were added."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    there = Environment(folder)
    bare = _size(folder)
    wanted = f"memoro[{extra}] @ {wheel.as_uri()}" if extra else f"memoro @ {wheel.as_uri()}"
    command = [there.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run([*command, wanted], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SmokeFailed(f"{wanted} cannot be installed:\n{done.stdout}{done.stderr}")
    return there, _size(folder) - bare


def _packages(there: Environment) -> int:
    text = "import importlib.metadata as m; print(len({d.name for d in m.distributions()} - {'pip', 'setuptools'}))"
    return int(subprocess.run([there.python, "-c", text], capture_output=True, text=True, check=True).stdout)


def _start_seconds(there: Environment, text: str) -> float:
    """The median CPU time of several starts; the first, which writes compiled files, is not counted.

    Not the time on a clock: that grows with whatever else the machine does.
    """
    times = []
    for _ in range(ROUNDS + 1):
        before = _cpu_of_children()
        subprocess.run([there.python, "-P", "-c", text], check=True, cwd="/", stdout=subprocess.DEVNULL)
        times.append(_cpu_of_children() - before)
    return median(times[1:])


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _try(wheel: Path, extra: str, version: str) -> str:
    """Install, measure and try one extra; returns its row of the table."""
    with tempfile.TemporaryDirectory(prefix="memoro-smoke-") as made:
        folder = Path(os.path.realpath(made))
        there, size = _install(folder / "environment", wheel, extra)
        steps = base_story(there.memoro(folder / "me"), version)
        names = [extra] if extra in FEATURES else [one for one in FEATURES if one in _all()] if extra else []
        works = [FEATURES[one](there, folder / f"feature-{one}") for one in names]
        bare = _start_seconds(there, "pass")
        loads = _start_seconds(there, f"import {LOADS[extra]}") if extra in LOADS else None
        subprocess.run([there.python, "-m", "pip", "uninstall", "-q", "-y", "memoro"], check=True)
        if shutil.which("memoro", path=str(there.folder / "bin")):
            raise SmokeFailed("pip uninstall leaves the command.")
        start = f"{loads * 1000:,.0f} | {loads / bare:.1f}" if loads else "– | –"
        says = works[0] if len(works) == 1 else f"{len(steps)} steps" + (f", {len(works)} extras" if works else "")
        name = f"`{extra}`" if extra else "none"
        return f"| {name} | {size / 1e6:,.0f} | {_packages_row(there)} | {start} | {says} |"


def _packages_row(there: Environment) -> int:
    return _packages(there) + 1  # memoro itself was just uninstalled


def _all() -> set[str]:
    extras: dict[str, list[str]] = _project()["optional-dependencies"]
    return set(extras["all"][0].partition("[")[2].rstrip("]").split(","))


def _project() -> dict[str, dict[str, list[str]]]:
    with open(ROOT / "pyproject.toml", "rb") as file:
        project: dict[str, dict[str, list[str]]] = tomllib.load(file)["project"]
        return project


def main() -> None:
    chosen = sys.argv[1:]
    extras = [name for name in _project()["optional-dependencies"] if name not in ("dev", "all")]
    if missing := set(extras) ^ set(FEATURES):
        sys.exit(f"tools/smoke.py does not know what these are for: {', '.join(sorted(missing))}.")
    built = build_twice("HEAD", ROOT / "dist")
    wheel = next(file for file in built if file.suffix == ".whl")
    version = wheel.name.split("-")[1]
    print("| extra | MB | packages | load, ms CPU | × bare Python | works |")
    print("|---|---|---|---|---|---|")
    failed = []
    for extra in chosen or ["", *sorted(extras), "all"]:
        try:
            print(_try(wheel, extra, version), flush=True)
        except (SmokeFailed, OSError) as error:
            failed.append(extra)
            print(f"| `{extra}` | | | | | **fails** |\n{error}", flush=True)
    sys.exit(f"These fail: {', '.join(failed)}." if failed else 0)


if __name__ == "__main__":
    main()
