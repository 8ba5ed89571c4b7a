"""Threads of `memoro serve` share what they allocate from, so that memory which one frees is used by the others."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from memoro.serve.allocator import ARENAS
from tests.conftest import wait_for, write_vault

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas"),
]

_ARENA = 64 << 20  # bytes of address space, aligned; part of it is in use

# Twenty threads allocate at once what they keep, so that each would have an arena of its own.
_THREADS = """
import ctypes, sys, threading
from memoro.serve.allocator import keep_little
if sys.argv[1] == "shared":
    assert keep_little()
malloc = ctypes.CDLL(None).malloc
malloc.restype = ctypes.c_void_p
together = threading.Barrier(20)
def work():
    together.wait()
    for _ in range(2000):
        malloc(100)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(open("/proc/self/maps").read())
"""


def arenas(maps: str) -> int:
    """How many arenas there are besides the first, by the map of a process."""
    found = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ 00:00 0\s*$", maps, re.M)
    parts = [(int(first, 16), int(last, 16), mode) for first, last, mode in found]
    return sum(
        mode == "rw-p" and after == "---p" and last == next_first and first % _ARENA == 0 and first + _ARENA == end
        for (first, last, mode), (next_first, end, after) in pairwise(parts)
    )


def arenas_of_threads(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", _THREADS, how], capture_output=True, text=True, check=True)
    return arenas(done.stdout)


def test_threads_share_two_arenas_instead_of_having_their_own() -> None:
    assert arenas_of_threads("shared") < ARENAS
    assert arenas_of_threads("as usual") > ARENAS


def test_the_threads_of_serve_share_theirs(tmp_path: Path) -> None:
    vault, home = (
        write_vault(tmp_path / "vault", {"tea.md": "# Tea\n\nGreen tea at 80 degrees.\n"}),
        tmp_path / "home",
    )
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORO_", "MALLOC_"))}
    command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault)]
    out = tmp_path / "out"
    with out.open("wb") as file:
        child = subprocess.Popen([*command, "serve", "--http", "--port", "0"], stdout=file, env=clean)
    try:
        assert wait_for(lambda: "the API is at" in out.read_text(), 60)
        address = re.findall(r"http://127\.0\.0\.1:\d+", out.read_text())[0]
        token = (home / "http-read.token").read_text().strip()

        def search() -> None:
            request = Request(f"{address}/api/v1/search?query=tea", headers={"Authorization": f"Bearer {token}"})
            with urlopen(request, timeout=60) as answer:
                assert json.load(answer)["query"] == "tea"

        threads = [threading.Thread(target=search) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert arenas(Path(f"/proc/{child.pid}/maps").read_text()) < ARENAS
    finally:
        child.terminate()
        assert child.wait(30) == 0


_FREED = """
import ctypes
from memoro.serve.allocator import return_freed
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
sizes = [5000, 40]  # a small piece in use after each large one, so that none is returned by itself
pieces = [[libc.malloc(size) for size in sizes] for _ in range(20_000)]
for large, _ in pieces:
    ctypes.memset(large, 1, 5000)
for large, _ in pieces:
    libc.free(large)
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
before = resident()
assert return_freed()
print((before - resident()) >> 20)
"""


def test_memory_that_was_freed_between_pieces_in_use_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", _FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 5


# A large piece was in use once, so that glibc would put others of its size between small ones.
_LARGE = """
import ctypes, sys
from memoro.serve.allocator import keep_little
if sys.argv[1] == "little":
    assert keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.free(libc.malloc(16 << 20))
pieces = [[libc.malloc(size) for size in (1 << 20, 20_000)] for _ in range(40)]
for large, _ in pieces:
    ctypes.memset(large, 1, 1 << 20)
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
before = resident()
for large, _ in pieces:
    libc.free(large)
print((before - resident()) >> 20)
"""


@pytest.mark.parametrize(("how", "least", "most"), [("little", 35, 41), ("as usual", -5, 5)])
def test_a_large_piece_goes_back_to_the_system_once_it_is_freed(how: str, least: int, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", _LARGE, how], capture_output=True, text=True, check=True)
    assert least <= int(done.stdout) <= most
