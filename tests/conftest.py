"""What every test may use: vaults made of text, homes, the real command, and how long a campaign runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

CAMPAIGN = bool(os.environ.get("MEMORO_CAMPAIGN"))

settings.register_profile(
    "test", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("campaign", parent=settings.get_profile("test"), max_examples=20_000)
settings.load_profile("campaign" if CAMPAIGN else "test")


def times(short: int, long: int) -> int:
    """How often to repeat: a version for every commit, and the campaign's."""
    return long if CAMPAIGN else short


def write_vault(folder: Path, notes: Mapping[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def fingerprint(folder: Path) -> dict[str, bytes]:
    """Every byte below the folder, to show that nothing has changed."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Memoro = Callable[..., Result]


def run_memoro(
    *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 60.0, stdin: str = ""
) -> Result:
    """The real command in a process of its own, with nothing of the caller's Memoro settings."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
    done = subprocess.run(
        [sys.executable, "-m", "memoro", *arguments],
        capture_output=True,
        text=True,
        env={**clean, "PYTHONWARNINGS": "error", **(env or {})},
        timeout=timeout,
        input=stdin,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def memoro(home: Path, vault: Path) -> Memoro:
    """The command on this test's home and vault."""

    def run(*arguments: str, **options: Any) -> Result:
        return run_memoro("--home", str(home), "--vault", str(vault), *arguments, **options)

    return run


def wait_for(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@pytest.fixture
def own_loop() -> Iterator[None]:
    """For frameworks that leave an event loop behind: whichever test it is collected in would be told of it."""
    import asyncio

    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    with warnings.catch_warnings(), suppress(RuntimeError):
        warnings.simplefilter("ignore")
        asyncio.get_event_loop_policy().get_event_loop().close()  # they may have made another
    made.close()
    asyncio.set_event_loop(None)
