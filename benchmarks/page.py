"""The page in a real browser: first paint, and from a keystroke to its results, as the home grows.

Needs Chromium (`MEMORO_CHROMIUM` names another than /usr/bin/chromium) and playwright. `python -m benchmarks page`
measures 1,000 and 100,000 chunks; `--big` also 1,000,000, whose notes take ten minutes to index. `--size N`
measures that size alone. `--homes FOLDER` keeps the homes there for the next run.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import measure, page_homes
from memoro.evaluate.metrics import percentile

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = (1_000, 100_000)
BIG = 1_000_000
CHROMIUM = "/usr/bin/chromium"
QUERIES = 20  # each typed letter by letter
PAINTS = 15
READS = 15
NAIVE = 15  # loads of the whole page, and runs of the command
_TYPING_MS = 100  # between two keys: a fast typist

# Waits, within the browser, until the results of what was typed are painted: after the frame they are in.
_MEASURE = """
() => {
  window.keyTimes = [];
  const field = document.querySelector("#q");
  let pressed = 0;
  field.addEventListener("input", () => { pressed = performance.now(); }, true);
  const results = document.querySelector("#results");
  new MutationObserver(() => {
    const at = pressed;
    if (at) requestAnimationFrame(() => setTimeout(() => {
      if (at === pressed) { window.keyTimes.push(performance.now() - at); pressed = 0; }
    }));
  }).observe(results, { childList: true });
}
"""
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


class Times(NamedTuple):
    """One kind of measurement at one size, in milliseconds."""

    values: Sequence[float]

    @property
    def cells(self) -> list[float]:
        return [statistics.median(self.values), percentile(list(self.values), 0.95)]


class Measured(NamedTuple):
    size: int
    paint: Times
    keys: Times
    key_cpu: float  # milliseconds of the server's CPU time for each key
    reads: Times
    whole_pages: Times  # the naive way: every keystroke loads the page
    commands: Times  # another: `memoro search`


def run(options: Sequence[str] = ()) -> None:
    sizes = [*SIZES, BIG] if "--big" in options else list(SIZES)
    if "--size" in options:
        sizes = [int(options[options.index("--size") + 1])]
    with _folder(options) as folder:
        found = [_measured(folder / f"h{size}", size) for size in sizes]
    rows = [
        [f"{one.size:,}", *one.paint.cells, *one.keys.cells, one.key_cpu, *one.reads.cells, *one.whole_pages.cells,
         *one.commands.cells[:1]]
        for one in found
    ]  # fmt: skip
    header = [
        "chunks",
        "first paint ms",
        "p95",
        "key to results ms",
        "p95",
        "CPU of server ms",
        "open a hit ms",
        "p95",
    ]
    measure.table([*header, "page for each key ms", "p95", "`memoro search` ms"], rows)
    for one in found:
        ratio = one.whole_pages.cells[0] / one.keys.cells[0]
        command = one.commands.cells[0] / one.keys.cells[0]
        print(f"{one.size:,} chunks: × {ratio:.1f} faster than a page for each key, × {command:.1f} than the command")


@contextmanager
def _folder(options: Sequence[str]) -> Iterator[Path]:
    if "--homes" in options:
        yield Path(options[options.index("--homes") + 1])
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _measured(folder: Path, size: int) -> Measured:
    from playwright.sync_api import sync_playwright

    page_homes.build(folder, size)
    queries = _queries(folder / "vault")
    with _serving(folder) as (link, process), sync_playwright() as playwright:
        chromium = os.environ.get("MEMORO_CHROMIUM", CHROMIUM)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(link)
        base = link.partition("/open")[0]
        _type(page, base, queries[QUERIES:])  # what any long-running process has met
        before = _cpu(process)
        keys = _type(page, base, queries[:QUERIES])
        used = _cpu(process) - before
        found = Measured(
            size=size,
            paint=Times([_paint(page, f"{base}/search?q={query.split()[0]}") for query in queries[:PAINTS]]),
            keys=Times(keys),
            key_cpu=used / len(keys),
            reads=Times(_read(page, base, queries[:READS])),
            whole_pages=Times([_load(page, f"{base}/search?q={query}") for query in queries[:NAIVE]]),
            commands=Times([_command(folder, query) for query in queries[:NAIVE]]),
        )
        browser.close()
        return found


def _queries(vault: Path) -> list[str]:
    """Three words that stand together in some note; no two are the same."""
    rng = random.Random(11)
    notes = sorted(vault.glob("area00*/*.md"))
    found: dict[str, None] = {}
    while len(found) < QUERIES + 10:
        lines = [line for line in rng.choice(notes).read_text(encoding="utf-8").split("\n") if len(line) > 200]
        words = [word.lower().strip(".") for word in rng.choice(lines).split()]
        at = rng.randrange(len(words) - 3)
        found[" ".join(words[at : at + 3])] = None
    return list(found)


def _type(page: Page, base: str, queries: Sequence[str]) -> list[float]:
    """Type queries letter by letter; return the time from each key until its results are painted.

    Keys whose results a later key overtook are not among them.
    """
    page.goto(f"{base}/search")
    page.evaluate(_MEASURE)
    field = page.locator("#q")
    for query in queries:
        field.fill("")
        page.wait_for_timeout(_TYPING_MS)
        field.press_sequentially(query, delay=_TYPING_MS)
        page.wait_for_timeout(4 * _TYPING_MS)
    times: list[float] = page.evaluate("() => window.keyTimes")
    return times


def _paint(page: Page, address: str) -> float:
    page.goto(address)
    page.wait_for_function(_PAINT)
    found: float = page.evaluate(_PAINT)
    return found


def _load(page: Page, address: str) -> float:
    """From the start of a navigation until the results are there and the page has loaded."""
    page.goto(address)
    page.wait_for_selector("#results")
    found: float = page.evaluate(
        "() => { const found = performance.getEntriesByType('navigation')[0]; return found.loadEventEnd; }"
    )
    return found


def _read(page: Page, base: str, queries: Sequence[str]) -> list[float]:
    """Open the first result of each query; return the first paint of what is opened."""
    found = []
    for query in queries:
        page.goto(f"{base}/search?q={query}")
        link = page.locator("#results a[data-open]").first
        if link.count():
            found.append(_paint(page, f"{base}{link.get_attribute('href')}"))
    return found


def _command(folder: Path, query: str) -> float:
    words = [sys.executable, "-m", "memoro", "--home", str(folder / "home"), "--vault", str(folder / "vault")]
    return _timed(lambda: subprocess.run([*words, "search", query], stdout=subprocess.DEVNULL, check=True))


def _timed(work: Callable[[], object]) -> float:
    return measure.call(work).wall_ms


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, int]]:
    """`memoro serve --http` on a home: a link that lets a browser in, and the number of the process."""
    words = [sys.executable, "-m", "memoro", "--home", str(folder / "home"), "--vault", str(folder / "vault")]
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen([*words, "serve", "--http", "--port", "0"], stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + 600
        while "http: http" not in (folder / "out").read_text() and time.monotonic() < deadline:
            time.sleep(0.2)
        done = subprocess.run([*words, "ui", "--print"], stdout=subprocess.PIPE, text=True, check=True)
        yield done.stdout.strip(), process.pid
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    run(sys.argv[1:])
