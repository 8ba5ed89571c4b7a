"""What shorter vectors save, and what a change of their length costs the searches until it is complete."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import growth, measure
from memoro import config
from memoro.evaluate.metrics import percentile
from memoro.index.space_filling import Effort
from memoro.index.vector_upkeep import VectorUpkeep
from memoro.model.vocabulary import Dimensions
from memoro.providers.builtin.model import shortened
from memoro.providers.registry import Embedders, EmbedderSettings, ProviderContext, embedders
from memoro.store.ports import Index
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome

SIZE = 100_000
REPEAT = 15


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        growth._write(folder, SIZE)
        rows = [_measured(folder, 256, "–", "–", "–", "–")]
        for dimensions in config.DIMENSIONS[1:]:
            slices = _change(folder, dimensions)
            wall, cpu = ([getattr(cost, kind) for cost in slices] for kind in ("wall_ms", "cpu_ms"))
            medians = statistics.median(cpu), statistics.median(wall), percentile(wall, 0.95)
            rows.append(_measured(folder, dimensions, len(slices), *medians))
    header = [
        "dimensions",
        "files MB",
        "scan CPU ms",
        "first look CPU ms",
        "slices",
        "a slice CPU ms",
        "median ms",
        "p95 ms",
    ]
    print(f"{SIZE:,} passages; a slice is what one search waits for while the change goes on.\n")
    measure.table(header, rows)


def _change(folder: str, dimensions: Dimensions) -> list[measure.Cost]:
    """Fill another space as searches do, a slice each; how long each took."""
    home = SqliteIndexHome(folder, engine(folder))
    wanted = embedders(EmbedderSettings(builtin_dimensions=dimensions), ProviderContext({}, home.records))
    found: list[measure.Cost] = []
    index = _index(home)
    while len(home.spaces(index)) > 1 or not found:
        found.append(measure.call(lambda: _fill_slice(home, index, wanted)))
    home.close()
    return found


def _fill_slice(home: SqliteIndexHome, index: Index, wanted: Embedders) -> None:
    upkeep = VectorUpkeep(home, wanted, Effort(whole=False))
    upkeep.begin(index)
    upkeep.fill()


def _measured(folder: str, dimensions: int, *slices: object) -> list[object]:
    home = SqliteIndexHome(folder, engine(folder))
    space = shortened(dimensions).space
    index = _index(home)
    query = shortened(dimensions).embed(["what was said about the garden last summer"], "query")[0]
    vectors = home.vectors(index, str(space), dimensions)
    vectors.nearest(query, 80)
    scan = _median(lambda: vectors.nearest(query, 80))
    look = _median(vectors.check)
    files = [file for file in Path(folder).iterdir() if ".vectors-" in file.name]
    home.close()
    return [dimensions, growth._megabytes(iter(files)), scan, look, *slices]


def _median(work: Callable[[], object]) -> float:
    return statistics.median(measure.call(work).cpu_ms for _ in range(REPEAT))


def _index(home: SqliteIndexHome) -> Index:
    index = home.current()
    assert index is not None
    return index
