"""Other memories beside ours, each through its own command: the same notes, the same questions, the same machine.

    python -m benchmarks peers --before MEMORO --memsearch MEMSEARCH --qmd QMD [--every N] [--notes N]

Each option names a command that is installed already; a peer without one is left out. `--before` is the `memoro` of
an earlier version. Speed: 2,000 made-up notes. Quality: each turn of a labelled set is a note of its own, so that
every tool sees the same text, and all of a collection is searched. memsearch embeds with our built-in model, through
a server on loopback, so that the two differ in their pipelines and not in their models. qmd searches by words: its
models come from a hub.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import corpus, labelled, measure
from benchmarks.minilm_server import MiniLmServer
from memoro.evaluate import metrics
from memoro.evaluate.questions import LabelledCollection, LabelledTurn
from memoro.model.vocabulary import Role
from memoro.providers.registry import builtin_model

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

LIMIT = 10
REPEAT = 5  # cold searches whose median counts
DIMENSIONS = 256  # of the built-in model


class Peer(NamedTuple):
    """A command, with how it indexes a folder and how it searches. `{folder}` and `{query}` are filled in."""

    name: str
    first: tuple[str, ...]  # indexes a folder for the first time
    again: tuple[str, ...]  # looks for changes
    search: tuple[str, ...]
    path: re.Pattern[str]  # finds the results in what a search prints, the best first
    url: str | None = None  # of the embedding server that it uses


class Ran(NamedTuple):
    """What one process cost, and what it printed."""

    output: str
    wall_s: float
    cpu_s: float
    memory_mb: float


def run(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks peers")
    parser.add_argument("--before", help="the command `memoro` of an earlier version")
    parser.add_argument("--memsearch", help="its command")
    parser.add_argument("--qmd", help="its command")
    parser.add_argument("--every", type=int, default=5, help="ask every N-th question")
    parser.add_argument("--notes", type=int, default=2000)
    chosen = parser.parse_args(list(options))
    with _served_builtin_model() as url:
        peers = [
            _memoro("memoro, now", str(Path(sys.executable).with_name("memoro"))),
            *([_memoro("memoro, before", chosen.before)] if chosen.before else []),
            *([_memsearch(chosen.memsearch, url)] if chosen.memsearch else []),
            *([_qmd(chosen.qmd)] if chosen.qmd else []),
        ]
        _measure_speed(peers, chosen.notes)
        print()
        _measure_quality(peers, chosen.every)


def _memoro(name: str, command: str) -> Peer:
    at = (command, "--vault", "{folder}")
    found = re.compile(r'^      "path": "(.+?\.md)"', re.MULTILINE)
    return Peer(
        name=name,
        first=(*at, "sync"),
        again=(*at, "sync"),
        search=(*at, "search", "--json", "-n", str(LIMIT), "--", "{query}"),
        path=found,
    )


def _memsearch(command: str, url: str) -> Peer:
    store = ("--provider", "openai", "--model", "served-here", "--milvus-uri", "{state}/milvus.db")
    index = (command, "index", "{folder}", *store)
    return Peer(
        name="memsearch",
        first=index,
        again=index,
        search=(command, "search", *store, "--top-k", str(LIMIT), "--json-output", "--", "{query}"),
        path=re.compile(r'"source": "(.+?\.md)"'),
        url=url,
    )


def _qmd(command: str) -> Peer:
    return Peer(
        name="qmd, words",
        first=(command, "collection", "add", "{folder}", "--name", "notes", "--mask", "**/*.md"),
        again=(command, "update"),
        search=(command, "search", "-n", str(LIMIT), "--json", "--", "{query}"),
        path=re.compile(r'"file": "qmd://notes/(.+?\.md)"'),
    )


class _BuiltinModel:
    """The built-in model as the server of embeddings needs it."""

    def __init__(self) -> None:
        self._model = builtin_model(DIMENSIONS)

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        return self._model.embed(texts, role)

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(len(text) // 4 for text in texts)


@contextmanager
def _served_builtin_model() -> Iterator[str]:
    server = MiniLmServer(model=_BuiltinModel())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()


def _execute(peer: Peer, command: Sequence[str], folder: Path, state: Path, query: str = "") -> Ran:
    """Run one command of a peer, with a home of its own so that it finds nothing of this machine's user."""
    named = {"{folder}": str(folder), "{query}": query}
    arguments = [named.get(part, part.replace("{state}", str(state))) for part in command]
    environment = {
        "PATH": f"{Path(arguments[0]).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(state),
        "MEMORO_HOME": str(state / "memoro"),
        "OPENAI_API_KEY": "not-needed",
        "OPENAI_BASE_URL": peer.url or "",
        "LANG": "C.UTF-8",
    }
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(arguments, env=environment, cwd=state, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)  # of this process alone, unlike getrusage
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        output, complaint = out.read().decode(), errors.read().decode()
    if process.returncode and not output.strip():
        print(f"{peer.name}: exit code {process.returncode}: {complaint.strip()[-300:]}", file=sys.stderr)
    cpu = used.ru_utime + used.ru_stime
    return Ran(output=output, wall_s=wall, cpu_s=cpu, memory_mb=used.ru_maxrss / 1024)


def _measure_speed(peers: Sequence[Peer], notes: int) -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "notes"
        corpus.write_notes(folder, notes)
        time.sleep(2.1)  # younger notes are read again by our next sync
        written = sorted(folder.rglob("*.md"))
        query = " ".join(re.findall(r"[a-z]{6,}", written[-1].read_text(encoding="utf-8"))[-3:])
        for peer in peers:
            state = Path(place) / re.sub(r"\W+", "-", peer.name)
            state.mkdir()
            first = _execute(peer, peer.first, folder, state)
            nothing = _execute(peer, peer.again, folder, state)
            changed = written[0]
            changed.write_text(changed.read_text(encoding="utf-8") + "\nOne line more.\n", encoding="utf-8")
            one = _execute(peer, peer.again, folder, state)
            cold = sorted(
                (_execute(peer, peer.search, folder, state, query) for _ in range(REPEAT)), key=lambda ran: ran.wall_s
            )[REPEAT // 2]
            if not peer.path.search(cold.output):
                sys.exit(f"{peer.name} finds nothing for {query!r}: it is not set up as this benchmark expects.")
            disk = sum(file.stat().st_size for file in state.rglob("*") if file.is_file()) / 1e6
            rows.append(
                [peer.name, first.wall_s, nothing.wall_s, one.wall_s, cold.wall_s, cold.cpu_s, cold.memory_mb, disk]
            )
            shutil.rmtree(state)
    print(f"{notes:,} notes; seconds of wall time of whole commands.\n")
    measure.table(
        [
            "tool",
            "first index s",
            "nothing changed s",
            "one note changed s",
            "cold search s",
            "its CPU s",
            "memory MB",
            "disk MB",
        ],
        rows,
    )


def _measure_quality(peers: Sequence[Peer], every: int) -> None:
    rows: list[list[object]] = []
    for name in labelled.SETS:
        file = labelled.data_folder() / f"{name}.jsonl.gz"
        if not file.exists():
            print(f"{name}: not measured, {file.name} is not there (set MEMORO_DATA)")
            continue
        collections = list(labelled.load(file))
        for peer in peers:
            found, nothing = _answers(peer, collections, every)
            figures = metrics.mean(found)
            shares = [f"{100 * figures.recall[depth]:.1f}" for depth in (1, 5, LIMIT)]
            rows.append([name, peer.name, *shares, f"{100 * figures.ndcg:.1f}", nothing, len(found)])
    if rows:
        measure.table(["set", "tool", "R@1", "R@5", "R@10", "nDCG@10", "no result at all", "questions"], rows)


def _answers(peer: Peer, collections: Sequence[LabelledCollection], every: int) -> tuple[list[metrics.Figures], int]:
    """The figures of every N-th question, and how many got no result."""
    found: list[metrics.Figures] = []
    nothing = 0
    for collection in collections:
        with tempfile.TemporaryDirectory() as place:
            folder, state = Path(place) / "notes", Path(place) / "state"
            state.mkdir()
            ids = _write_turns(folder, collection.turns)
            _execute(peer, peer.first, folder, state)
            for question in collection.questions[::every]:
                output = _execute(peer, peer.search, folder, state, question.text).output
                ranking = [ids[name] for name in map(_file_name, peer.path.findall(output)) if name in ids]
                nothing += not ranking
                found.append(metrics.figures(ranking, question.relevant, (1, 5, LIMIT)))
    return found, nothing


def _file_name(path: str) -> str:
    return str(json.loads(f'"{path}"')).rpartition("/")[2]


def _write_turns(folder: Path, turns: Sequence[LabelledTurn]) -> dict[str, str]:
    """Write each turn as a note; return the ids of the turns by file name."""
    ids: dict[str, str] = {}
    for number, turn in enumerate(turns):
        session = re.sub(r"\W+", "-", turn.session)
        file = folder / session / f"turn{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {turn.speaker}, {turn.date or 'no date'}\n\n{turn.text}\n", encoding="utf-8")
        ids[file.name] = turn.id
    return ids
