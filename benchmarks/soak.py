"""A soak: `memoro serve` under everything at once for two hours, on a clock that goes 600 times as fast.

`python -m benchmarks soak [--minutes 120] [--speed 600] [--out FOLDER]` lives some fifty days of a home with hooks of
three sessions, an editor, MCP and HTTP clients, the page in Chromium, backups, pruning, curation, forgetting and
rebuilds. It exits with 1 if anything grew, was lost, or failed. `--no-browser` leaves the page out.
Needs libfaketime (Debian: `apt-get install faketime`); without it the clock is the machine's.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure, soak_load, soak_oracle, soak_sampling
from benchmarks.soak_home import FastClock, Programs, Served, Size, SoakHome, store_first_memories
from benchmarks.soak_oracle import FoundMemory, Oracle
from benchmarks.soak_sampling import Probes, ReferenceLoop, Sample, process_state
from benchmarks.soak_verdicts import Series, Verdict, bounded, empty, flat, lowest

KEPT_BACKUPS = 7  # of each reason; here there is one reason
MOST_LOCKS = 80  # 64 for notes, by a part of the digest of their paths, and those of the home
STOP_SECONDS = 15.0
_MEGABYTE = 1 << 20


class Plan(NamedTuple):
    """How long and how hard."""

    minutes: float = 120.0
    speed: float = 600.0
    pace: float = 1.0  # 2: the clients pause half as long
    sample_seconds: float = 30.0
    owner_pause: float = 20.0  # seconds
    rebuild_every: int = 70  # turns of the owner
    size: Size = Size()
    browser: bool = True


class Outcome(NamedTuple):
    growth: tuple[Verdict, ...]  # of the samples
    state: tuple[Verdict, ...]  # of what is left at the end
    samples: tuple[Sample, ...]
    done: dict[str, int]
    statuses: dict[str, int]
    problems: tuple[str, ...]
    cores: float  # that all of it took, on average

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.growth + self.state


def run(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks soak")
    parser.add_argument("--minutes", type=float, default=Plan().minutes)
    parser.add_argument("--speed", type=float, default=Plan().speed)
    parser.add_argument("--pace", type=float, default=Plan().pace)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--no-browser", action="store_true")
    chosen = parser.parse_args(list(options))
    plan = Plan(minutes=chosen.minutes, speed=chosen.speed, pace=chosen.pace, browser=not chosen.no_browser)
    with _folder(chosen.out) as folder:
        outcome = soak(folder, plan)
        _keep(folder, outcome)
    show(outcome)
    if not all(one.is_good for one in outcome.verdicts):
        sys.exit(1)


@contextmanager
def _folder(wanted: Path | None) -> Iterator[Path]:
    if wanted is not None:
        wanted.mkdir(parents=True)
        yield wanted.resolve()
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def soak(folder: Path, plan: Plan) -> Outcome:
    """Live through the plan in a new folder, then look at everything that is left."""
    home = SoakHome(folder)
    home.make(plan.size)
    clock = FastClock(folder / "clock", speed=plan.speed, minutes=plan.minutes)
    programs = Programs(home, clock)
    # Under the clock of the soak: in another process, since this one has the machine's.
    maker = [sys.executable, "-m", "benchmarks.soak", "first-memories", str(folder), str(plan.size.memories)]
    subprocess.run(maker, check=True, env=programs.environment, cwd=Path(__file__).parent.parent)
    with clock.running(), programs.serving() as served:
        return _live(home, clock, programs, served, plan)


def _live(home: SoakHome, clock: FastClock, programs: Programs, served: Served, plan: Plan) -> Outcome:
    world = soak_load.World(
        home=home,
        clock=clock,
        programs=programs,
        served=served,
        oracle=Oracle(),
        problems=soak_load.Problems(home.folder / "problems.txt"),
        statuses=Counter(),
    )
    began, cpu = time.monotonic(), _cpu(served)
    stop = threading.Event()
    users, browser = _users(world, plan)
    threads = [
        threading.Thread(target=soak_load.run_user, args=(user, world, stop, plan.pace), daemon=True)
        for user in users
    ]
    for thread in threads:
        thread.start()
    samples: list[Sample] = []
    for sample in _samples(world, browser, plan):
        samples.append(sample)
        with (home.folder / "samples.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(sample._asdict()) + "\n")
    stop.set()
    for thread in threads:
        thread.join(120)
    still = [thread for thread in threads if thread.is_alive()]
    cores = (_cpu(served) - cpu) / (time.monotonic() - began)
    gave_up = world.oracle.done["hooks that gave up"] / max(1, world.oracle.done["hook events"])
    state = [
        *_last_verdicts(world),
        empty("clients", [f"{thread.name} hangs" for thread in still], "all ended"),
        bounded("hooks that gave up", [100 * gave_up], 2, " %"),
    ]
    return Outcome(
        growth=tuple(sample_verdicts(samples)),
        state=tuple(state),
        samples=tuple(samples),
        done=dict(world.oracle.done),
        statuses=dict(world.statuses),
        problems=tuple(world.problems.lines),
        cores=cores,
    )


def _users(world: soak_load.World, plan: Plan) -> tuple[list[soak_load.User], soak_load.Browser | None]:
    users: list[soak_load.User] = [
        soak_load.AgentSession(world, "harbour", 11),
        soak_load.AgentSession(world, "billing", 12),
        soak_load.AgentSession(world, "garden", 13),
        soak_load.Editor(world, 14),
        soak_load.HttpUser(world, 15),
        soak_load.Owner(world, 16, pause=plan.owner_pause, rebuild_every=plan.rebuild_every),
        soak_load.McpUser(world, "mcp over http", soak_load.HttpTools(world), 17),
        soak_load.McpUser(world, "mcp over stdio", soak_load.StdioTools(world), 18),
    ]
    chromium = soak_load.chromium() if plan.browser else None
    if chromium is None:
        return users, None
    browser = soak_load.Browser(world, chromium)
    return [*users, browser], browser


def _samples(world: soak_load.World, browser: soak_load.Browser | None, plan: Plan) -> Iterator[Sample]:
    """A sample at each moment of the plan, until it is over or the server is gone."""
    probes = Probes(world.served, world.programs, world.home, world.statuses)
    loop, began = ReferenceLoop(), time.monotonic()
    pid, number = world.served.process.pid, 0
    while world.served.process.poll() is None:
        next_at = max(began + number * plan.sample_seconds, time.monotonic())
        if next_at > began + plan.minutes * 60:
            break
        time.sleep(max(0.0, next_at - time.monotonic()))
        number += 1
        search, health, hook, reference = soak_sampling.times(probes, loop)
        try:
            state = process_state(pid)
        except (FileNotFoundError, ProcessLookupError):  # it is gone, which the last verdicts tell
            break
        files, sizes = soak_sampling.files_of(world.home.home)
        yield Sample(
            at=time.monotonic() - began,
            clock=world.clock.now().isoformat(timespec="seconds"),
            **state._asdict(),
            search=search,
            health=health,
            hook=hook,
            loop=reference,
            files=files,
            bytes=sizes,
            browser_heap=browser.heap if browser else None,
            browser_nodes=browser.nodes if browser else None,
            statuses=dict(world.statuses),
        )
    loop.end()


def sample_verdicts(samples: Sequence[Sample]) -> list[Verdict]:
    """What the samples say: did anything grow, and is everything within its bounds?"""

    def series(value: Callable[[Sample], float]) -> Series:
        return [(one.at, value(one)) for one in samples]

    megabytes = _MEGABYTE
    found = [
        flat("memory: RSS", series(lambda one: one.rss / megabytes), share=0.1, least=10, unit=" MB"),
        flat("memory: PSS", series(lambda one: one.pss / megabytes), share=0.1, least=10, unit=" MB"),
        flat("memory: its own", series(lambda one: one.anonymous / megabytes), share=0.1, least=10, unit=" MB"),
        flat("descriptors", series(lambda one: one.descriptors), share=0.1, least=5),
        flat("threads", series(lambda one: one.threads), share=0.1, least=3),
        flat("search ÷ loop", series(lambda one: one.search / one.loop), share=0.3, least=0.3),
        flat("hook ÷ loop", series(lambda one: one.hook / one.loop), share=0.3, least=0.3),
        flat("health ÷ loop", series(lambda one: one.health / one.loop), share=0.3, least=0.3),
        flat("files but locks", series(lambda one: sum(one.files.values()) - _locks(one)), share=0.1, least=10),
        bounded("locks", [_locks(one) for one in samples], MOST_LOCKS),
        bounded("indexes at once", [one.files.get("indexes", 0) for one in samples], 3),
        bounded("backups", [one.files.get("backups", 0) for one in samples], KEPT_BACKUPS + 1),
        bounded("logs of SQLite", [_logs(one) / megabytes for one in samples], 64, " MB"),
        bounded("spool", [one.bytes.get("spool", 0) / megabytes for one in samples], 1, " MB"),
        flat("logs of SQLite", series(lambda one: _logs(one) / megabytes), share=0.3, least=8, unit=" MB"),
    ]
    heaps = [(one.at, one.browser_heap / megabytes) for one in samples if one.browser_heap]
    nodes = [(one.at, float(one.browser_nodes)) for one in samples if one.browser_nodes]
    if heaps:
        found.append(flat("browser: heap", heaps, share=0.2, least=2, unit=" MB"))
        found.append(flat("browser: nodes", lowest(nodes, of=8), share=0.2, least=2000))
    wrong = {name: count for name, count in (samples[-1].statuses if samples else {}).items() if _is_wrong(name)}
    found.append(
        empty("answers of HTTP", [f"{count} × {name}" for name, count in wrong.items()], "none 5xx, none lost")
    )
    return found


def _is_wrong(status: str) -> bool:
    return not status.isdigit() or status >= "500"


def _locks(sample: Sample) -> int:
    return sample.files.get("locks", 0)


def _logs(sample: Sample) -> int:
    return sum(size for kind, size in sample.bytes.items() if kind.endswith(" logs"))


def _last_verdicts(world: soak_load.World) -> list[Verdict]:
    """Stop the server, and compare what is on the disk with what was acknowledged."""
    server, home = world.served.process, world.home
    began = time.monotonic()
    server.send_signal(signal.SIGTERM)
    try:
        code: int | str = server.wait(60)
    except subprocess.TimeoutExpired:
        code = "none"
    took = time.monotonic() - began
    said = world.served.err.read_text(errors="replace")
    acknowledged = world.oracle.acknowledged()
    world.programs.run("sync", seconds=600)
    export = world.programs.run("export", "--output", "-").stdout
    records = [json.loads(line) for line in export.splitlines()]
    memories = [
        FoundMemory(number=one["id"], content=one["content"], feedback=one["feedback"])
        for one in records
        if one.get("record") == "memory"
    ]
    vault = {
        str(file.relative_to(home.vault)): file.read_text(encoding="utf-8", errors="replace")
        for file in home.vault.rglob("*.md")
    }
    daily = "\n".join(text for path, text in vault.items() if path.startswith("daily/"))
    doctor = world.programs.run("doctor", "--deep", seconds=600)
    kept, lines, notes = acknowledged.memories, acknowledged.lines, acknowledged.notes
    gone = sum(one.state == "forgotten" for one in kept)
    return [
        Verdict("end", code == 0 and took <= STOP_SECONDS, f"exit code {code} {took:.1f} s after SIGTERM"),
        empty("log of the server", _tracebacks(said), f"no traceback, {len(said.splitlines())} lines of errors"),
        empty("clients' problems", world.problems.lines, "none"),
        empty("memories", soak_oracle.memory_faults(acknowledged, memories), f"{len(kept)}, each once or gone"),
        empty("daily lines", soak_oracle.line_faults(acknowledged, daily), f"{len(lines)}, each once"),
        empty("notes", soak_oracle.note_faults(acknowledged, vault), f"{len(notes)} as they were saved last"),
        empty("forgotten", soak_oracle.byte_faults(acknowledged, _all_bytes(home)), f"{gone} gone from all bytes"),
        Verdict("doctor --deep", doctor.returncode == 0, _complaints(doctor.stdout + doctor.stderr)),
    ]


def _tracebacks(said: str) -> list[str]:
    return [line for line in said.splitlines() if "Traceback" in line or "internal error" in line.lower()]


def _complaints(said: str) -> str:
    return "; ".join(line for line in said.splitlines() if not line.startswith("✓")) or "all is well"


def _all_bytes(home: SoakHome) -> Iterator[tuple[str, bytes]]:
    for folder in (home.home, home.vault):
        for file in folder.rglob("*"):
            if file.is_file() and not file.is_symlink():
                yield str(file.relative_to(home.folder)), file.read_bytes()


def _cpu(served: Served) -> float:
    """Seconds of CPU time of the server, of this process and of those that it has waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    server = process_state(served.process.pid).cpu if served.process.poll() is None else 0.0
    return server + sum(one.ru_utime + one.ru_stime for one in (own, children))


def _keep(folder: Path, outcome: Outcome) -> None:
    document = {
        **outcome._asdict(),
        "growth": [one._asdict() for one in outcome.growth],
        "state": [one._asdict() for one in outcome.state],
        "samples": [one._asdict() for one in outcome.samples],
    }
    (folder / "soak.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def show(outcome: Outcome) -> None:
    samples = outcome.samples
    print(
        f"{samples[-1].at / 60:.0f} minutes, from {samples[0].clock} to {samples[-1].clock}, {len(samples)} samples."
    )
    print(f"On average {outcome.cores:.0%} of a core. Done: {_counted(outcome.done)}.")
    print(f"Answers by status: {_counted(outcome.statuses)}.\n")
    measure.table(
        ["what", "verdict", "figures"],
        [[one.name, "good" if one.is_good else "**bad**", one.detail] for one in outcome.verdicts],
    )
    print()
    measure.table(*windows(samples))
    for problem in outcome.problems[:20]:
        print(f"- {problem}")


def windows(samples: Sequence[Sample], seconds: float = 600) -> tuple[list[str], list[list[object]]]:
    """A row for each ten minutes: the medians, and the 95th percentile of the times."""
    header = ["minutes", "RSS MB", "own MB", "fds", "threads", "files", "MB in all"]
    header += ["search ms", "p95", "hook ms", "p95", "health ms", "p95", "loop ms"]
    rows: list[list[object]] = []
    for first in range(0, int(samples[-1].at) + 1, int(seconds)):
        some = [one for one in samples if first <= one.at < first + seconds]
        if not some:
            continue
        row: list[object] = [f"{first // 60}–{int(first + seconds) // 60}"]
        row += [
            round(_median(some, lambda one: one.rss / _MEGABYTE)),
            round(_median(some, lambda one: one.anonymous / _MEGABYTE)),
        ]
        row += [int(_median(some, lambda one: one.descriptors)), int(_median(some, lambda one: one.threads))]
        row += [
            int(_median(some, lambda one: sum(one.files.values()))),
            round(_median(some, lambda one: sum(one.bytes.values()) / _MEGABYTE)),
        ]
        for name in ("search", "hook", "health"):
            values = sorted(float(getattr(one, name)) for one in some)
            row += [values[len(values) // 2], values[int(0.95 * len(values))]]
        rows.append([*row, _median(some, lambda one: one.loop)])
    return header, rows


def _median(samples: Sequence[Sample], value: Callable[[Sample], float]) -> float:
    values = sorted(value(one) for one in samples)
    return values[len(values) // 2]


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["first-memories"]:
        store_first_memories(SoakHome(Path(sys.argv[2])), int(sys.argv[3]))
    else:
        run(sys.argv[1:])
