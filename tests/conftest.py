"""What every test may use: vaults made of text, homes, the real command, and how long a campaign runs."""

from __future__ import annotations

import gc
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser, context, launched, page, sample_home, served
from tests.command import Memoro, Result, run_memoro, run_process
from tests.lanes import LANES, QUICK, lane_of, no_processes

if TYPE_CHECKING:
    from tests.postgres import InstalledServer

__all__ = [
    "CAMPAIGN",
    "Memoro",
    "Result",
    "browser",
    "context",
    "fingerprint",
    "launched",
    "page",
    "run_memoro",
    "run_process",
    "sample_home",
    "served",
    "times",
    "wait_for",
    "write_vault",
]

CAMPAIGN = bool(os.environ.get("MEMORO_CAMPAIGN"))
_is_quick = False
_MEMORY = "/dev/shm"  # of Linux

settings.register_profile(
    "test", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("campaign", parent=settings.get_profile("test"), max_examples=20_000)
settings.register_profile("quick", parent=settings.get_profile("test"), max_examples=15)
settings.load_profile("campaign" if CAMPAIGN else "test")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="run the quick lanes alone; other files are not even imported"
    )


def pytest_configure(config: pytest.Config) -> None:
    for lane, meaning in LANES.items():
        config.addinivalue_line("markers", f"{lane}: {meaning}")
    if config.getoption("--quick"):
        global _is_quick  # noqa: PLW0603 - set once, before any test is imported
        _is_quick = True
        settings.load_profile("quick")
        _keep_files_in_memory()


def _keep_files_in_memory() -> None:
    """Half of the time of a quick test goes to a disk that keeps what nobody needs a second later."""
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK | os.X_OK):
        os.environ["TMPDIR"] = _MEMORY
        tempfile.tempdir = None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    slow = collection_path.name.startswith("test_") and lane_of(collection_path.stem) not in QUICK
    return True if config.getoption("--quick") and slow else None


def _uses_postgres(item: pytest.Item) -> bool:
    """Return whether a test takes the server's fixture, or runs over the store that needs one."""
    callspec = getattr(item, "callspec", None)
    stores = callspec.params.values() if callspec else ()
    return "postgres" in getattr(item, "fixturenames", ()) or "postgres" in map(str, stores)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its lane: its own marker, else that of its file. `--quick` leaves out the slow lanes."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        elif _uses_postgres(item):
            item.add_marker("postgres")
        elif not any(item.get_closest_marker(lane) for lane in LANES):
            item.add_marker(lane_of(item.path.stem))
    if config.getoption("--quick"):
        slow = [item for item in items if not any(item.get_closest_marker(lane) for lane in QUICK)]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage only after all tests are collected: until then next to nothing is, and looking takes 6 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Take what was collected, 14,000 tests, out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> InstalledServer:
    """A real server, started once in each process of the test runner."""
    from tests.postgres import server

    return server()


@pytest.fixture(autouse=True)
def _lane(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test of a quick lane starts no process."""
    if any(request.node.get_closest_marker(lane) for lane in QUICK):
        with no_processes(request.node.nodeid):
            yield
    else:
        yield


def times(short: int, long: int, quick: int | None = None) -> int:
    """How often to repeat: a version for every commit, the campaign's, and that of `make quick` if it differs."""
    return long if CAMPAIGN else quick if quick is not None and _is_quick else short


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
    """The command on this test's home and vault, called in this process."""
    return partial(run_memoro, "--home", str(home), "--vault", str(vault))


@pytest.fixture
def memoro_process(home: Path, vault: Path) -> Memoro:
    """The command on this test's home and vault, as a process of its own."""
    return partial(run_process, "--home", str(home), "--vault", str(vault))


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
