"""The home of a soak, and the programs that run on it under a clock that goes faster than the machine's."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks import corpus, logs

_LIBRARIES = tuple(
    f"/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1" for machine in ("x86_64", "aarch64")
)  # of Debian's package `faketime`
_STEP_SECONDS = 0.5  # of the machine's time, between two steps of the fast clock
_START_SECONDS = 600.0
TOKENS = {"read": "http-read.token", "write": "http.token", "admin": "http-admin.token"}
PEOPLE = ("Lena", "Ben", "Milo", "Ines", "Tom", "Vera", "Igor", "Rosa", "Paul", "Nora")
THINGS = ("boat", "parser", "garden", "billing service", "kettle", "archive", "bicycle", "feed", "board", "printer")
PLACES = (
    "Ulm",
    "Rotterdam",
    "the cellar",
    "Porto",
    "the office",
    "Graz",
    "the harbour",
    "Lyon",
    "the attic",
    "Turku",
)
# Looks of housekeeping and curation follow the machine's clock; with these schedules they come about once a fast day.
_SETTINGS = """\
[vault]
path = {vault}
[transcripts]
folders = [{logs}]
[sync]
interval_minutes = 1
[memory]
max_size = "{max_size}"
prune_schedule = "* * * * *"
[curate]
schedule = "*/3 * * * *"
"""


class Size(NamedTuple):
    """How much the home holds before the soak."""

    notes: int = 400
    memories: int = 400
    log_megabytes: int = 2
    max_size: str = "1MB"  # of the memories: small, so that some are pruned


class SoakHome(NamedTuple):
    """The folders of a soak."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def make(self, size: Size) -> None:
        """Write notes, logs and settings; store the first memories."""
        corpus.write_notes(self.vault, size.notes)
        logs.make(self.logs, size.log_megabytes)
        self.home.mkdir(mode=0o700)
        settings = _SETTINGS.format(
            vault=json.dumps(str(self.vault)), logs=json.dumps(str(self.logs)), max_size=size.max_size
        )
        (self.home / "memoro.toml").write_text(settings, encoding="utf-8")


def store_first_memories(home: SoakHome, count: int) -> None:
    rng = random.Random(3)
    with memoro.open(home.home) as m:
        for number in range(count):
            m.memories.store(f"{sentence(rng)} It is number {number} of the list.", ("first",), source="user")


def sentence(rng: random.Random) -> str:
    """A sentence that states something of somebody."""
    person, thing, place = rng.choice(PEOPLE), rng.choice(THINGS), rng.choice(PLACES)
    return rng.choice(
        (
            f"{person} keeps the {thing} in {place}.",
            f"The {thing} of {person} was moved to {place} in week {rng.randrange(1, 53)}.",
            f"{person} wants the {thing} repaired before we go to {place}.",
            f"We decided that {person} looks after the {thing} in {place}.",
        )
    )


class FastClock:
    """A clock that steps `speed` times as fast as the machine's, in a file that libfaketime reads.

    It begins in the past and ends at about the machine's time: a file that was written now is then never older than
    the clock says. The monotonic clock and the times of files stay those of the machine. Without libfaketime, the
    clock is the machine's.
    """

    def __init__(self, file: Path, *, speed: float, minutes: float) -> None:
        self._file = file
        self._library = next((name for name in _LIBRARIES if os.path.exists(name)), None)
        self.speed = speed if self._library else 1.0
        self._began = time.time()
        self._behind = 60 * minutes * (self.speed - 1) + (86_400 if self.speed > 1 else 0)
        self._stop = threading.Event()
        self.step()

    @property
    def offset(self) -> float:
        """Seconds from the machine's clock to this one."""
        return (time.time() - self._began) * (self.speed - 1) - self._behind

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.offset)

    def step(self) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(f"{self.offset:+.0f}\n", encoding="ascii")
        os.replace(new, self._file)

    @contextmanager
    def running(self) -> Iterator[None]:
        def run() -> None:
            while not self._stop.wait(_STEP_SECONDS):
                self.step()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    @property
    def variables(self) -> Mapping[str, str]:
        """What a program needs in its environment to live by this clock."""
        if self._library is None or self.speed == 1:
            return {}
        return {
            "LD_PRELOAD": self._library,
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",  # seconds; to read the file at each call takes half a core
            "NO_FAKE_STAT": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


# Python sleeps until a time of the monotonic clock, which libfaketime takes for one of its own clock and refuses.
_SLEEP = """\
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""


class Programs:
    """Starts `memoro` on the home of the soak, under its clock."""

    def __init__(self, home: SoakHome, clock: FastClock) -> None:
        self._home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORO_", "PYTHON"))}
        own = {"HOME": str(home.folder / "user"), "TZ": "UTC", "OPENBLAS_NUM_THREADS": "1"}
        # numpy sets it while it loads, unless it is there. libfaketime reads the environment in every thread, and
        # would now and then read what is just being replaced.
        own["OPENBLAS_MAIN_FREE"] = "1"
        (home.folder / "user").mkdir(exist_ok=True)
        if clock.variables:
            (home.folder / "python").mkdir()
            (home.folder / "python" / "sitecustomize.py").write_text(_SLEEP, encoding="utf-8")
            own["PYTHONPATH"] = str(home.folder / "python")
        self.environment = {**kept, **own, **clock.variables}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "memoro", "--home", str(self._home.home), *words]

    def run(self, *words: str, given: str = "", seconds: float = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), input=given, capture_output=True, text=True, env=self.environment,
            cwd=self._home.folder, timeout=seconds, check=False,
        )  # fmt: skip

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a program that is talked to by its standard input and output."""
        return subprocess.Popen(
            self.command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=self.environment, cwd=self._home.folder,
        )  # fmt: skip

    @contextmanager
    def serving(self) -> Iterator[Served]:
        """`memoro serve --http`, once it answers. Whoever uses it ends it; the block kills what is left."""
        out, err = self._home.folder / "out", self._home.folder / "err"
        with out.open("wb") as output, err.open("wb") as errors:
            process = subprocess.Popen(
                self.command("serve", "--http", "--port", "0", "--profile", "full"),
                stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=self.environment, cwd=self._home.folder,
            )  # fmt: skip
        try:
            until = time.monotonic() + _START_SECONDS
            while "the API is at" not in (said := out.read_text()) or "start: " not in said:
                assert process.poll() is None and time.monotonic() < until, err.read_text()
                time.sleep(0.1)
            port = int(re.findall(r"127\.0\.0\.1:(\d+)", said)[0])
            tokens = {scope: (self._home.home / name).read_text().strip() for scope, name in TOKENS.items()}
            yield Served(process=process, port=port, tokens=tokens, out=out, err=err)
        finally:
            process.kill()
            process.wait()


class Served(NamedTuple):
    """A server that answers."""

    process: subprocess.Popen[bytes]
    port: int
    tokens: Mapping[str, str]
    out: Path
    err: Path
