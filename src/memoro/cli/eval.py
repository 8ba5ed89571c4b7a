"""`memoro eval`."""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING, Any

from memoro import config
from memoro.cli.options import add_json, number, opened
from memoro.errors import ConfigError
from memoro.model.vocabulary import MODES
from memoro.search.retrieve import MAX_CANDIDATES

if TYPE_CHECKING:
    from memoro.config import Source
    from memoro.evaluate.metrics import Figures
    from memoro.evaluate.questions import QuestionSet
    from memoro.evaluate.run import Evaluation, EvaluationOptions, RowDifference, SearchRow

OWN = "yours"


def configure_eval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", help="The questions with their expected notes, as TOML or JSON lines, or a labelled set."
    )
    parser.add_argument("--mode", action="append", choices=MODES, help="The search mode; repeat to compare (all).")
    parser.add_argument("-k", type=number, default=10, metavar="N", help="Return N results for each question (10).")
    parser.add_argument("--by-category", action="store_true", help="Also show each category of questions.")
    parser.add_argument(
        "--compare",
        metavar="SETTINGS",
        help="Repeat with this settings file on top of your own, and show the differences.",
    )
    parser.add_argument(
        "--packing",
        action="store_true",
        help="Measure the share of expected passages in the block of a recall instead.",
    )
    parser.add_argument(
        "--budget",
        action="append",
        type=number,
        metavar="TOKENS",
        help="The budget for --packing; repeat to compare (500 …).",
    )
    add_json(parser)
    parser.set_defaults(run=_eval)


def _eval(chosen: argparse.Namespace) -> int:
    from memoro.evaluate import run

    if not 1 <= chosen.k <= MAX_CANDIDATES:
        raise ConfigError(f"-k must be from 1 to {MAX_CANDIDATES}, not {chosen.k}.")
    loaded = _load(chosen.file)
    if chosen.packing:
        return _packing(chosen, loaded)
    other = _other_settings(chosen.compare) if chosen.compare else None
    options = run.EvaluationOptions(tuple(dict.fromkeys(chosen.mode or MODES)), chosen.k, chosen.by_category)
    found = _evaluate(chosen, loaded, options, other)
    changed = run.differences(found[0].rows, found[1].rows) if len(found) > 1 else []
    notices = tuple(dict.fromkeys(notice for one in found for notice in one.notices))
    rows = [row for one in found for row in one.rows]
    if chosen.json:
        from memoro import documents

        print(documents.dumps(_document(run.count(loaded), options, rows, changed, notices)))
    else:
        _print(run.count(loaded), rows, changed, notices)
    return 0


def _packing(chosen: argparse.Namespace, loaded: QuestionSet) -> int:
    from memoro.cli import show
    from memoro.evaluate import packing, run

    budgets = tuple(dict.fromkeys(chosen.budget or packing.BUDGETS))
    with opened(chosen) as m, show.progress("Evaluating") as progress:
        rows = packing.evaluate(m, loaded, budgets, progress, by_category=chosen.by_category)
    if chosen.json:
        from memoro import documents

        document = {"questions": run.count(loaded), "rows": [row._asdict() for row in rows]}
        print(documents.dumps(document))
        return 0
    count = run.count(loaded)
    print(f"{count} question{'s' if count != 1 else ''}; the share of the evidence in the block, per cent.\n")
    lines = [["budget", "method", "category", "evidence", "touched", "tokens", "silent"]]
    for row in rows:
        shares = [f"{100 * value:.1f}" for value in (row.text, row.touched)]
        told = [*shares, f"{row.tokens:.0f}", f"{100 * row.silent:.1f}"]
        lines.append([str(row.budget), row.method, show.printable(_category(row.category)), *told])
    if not chosen.by_category:
        lines = [[*line[:2], *line[3:]] for line in lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    words = len(lines[0]) - 4
    for line in lines:
        cells = (c.ljust(w) if i < words else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
        print("  ".join(cells).rstrip())
    return 0


def _load(file: str) -> QuestionSet:
    from memoro.evaluate import questions

    try:
        with open(file, "rb") as handle:
            return questions.parse(handle.read(), file)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}.") from error


def _other_settings(file: str) -> list[Source]:
    if not os.path.isfile(file):
        raise ConfigError(f"{file} is not a file; --compare takes settings as {config.FILE_NAME} holds them.")
    sources = config.read_file(file)
    config.settle(sources)  # what is wrong in it is said before the first question is asked
    return sources


def _evaluate(
    chosen: argparse.Namespace, loaded: QuestionSet, options: EvaluationOptions, other: list[Source] | None
) -> list[Evaluation]:
    from memoro.cli import show
    from memoro.evaluate import run

    with opened(chosen) as m, show.progress("Evaluating") as progress:
        found = [run.evaluate(m, OWN, loaded, options, progress)]
        if other is not None:
            # Other settings may shape another index: it gets a home of its own, and yours is left alone.
            with (
                tempfile.TemporaryDirectory(prefix="memoro-eval-") as home,
                run.open_with(m.origins, other, home) as second,
            ):
                found.append(run.evaluate(second, os.path.basename(chosen.compare), loaded, options, progress))
    return found


def _print(questions: int, rows: list[SearchRow], changed: list[RowDifference], notices: tuple[str, ...]) -> None:
    import sys

    from memoro.cli import show

    for notice in notices:
        print(f"memoro: {show.printable(notice)}", file=sys.stderr)
    compared = len({row.settings for row in rows}) > 1
    header = ["mode", *(f"recall@{depth}" for depth in rows[0].figures.recall), "nDCG@10", "MRR", "median", "p95"]
    lines = [
        [
            row.settings,
            _category(row.category),
            row.mode,
            *_percents(row.figures, ""),
            *_times(row, ""),
            row.questions,
        ]
        for row in rows
    ] + [
        ["difference", _category(one.category), one.mode, *_percents(one.figures, "+"), *_times(one, "+"), ""]
        for one in changed
    ]
    by_category = any(row.category is not None for row in rows)
    table: list[list[object]] = [["settings", "category", *header, "questions"], *lines]
    keep = [compared, by_category, *[True] * len(header), by_category]
    shown = [[show.printable(str(cell)) for cell, wanted in zip(line, keep, strict=True) if wanted] for line in table]
    widths = [max(len(line[i]) for line in shown) for i in range(len(shown[0]))]
    texts = keep[0] + keep[1] + 1  # these columns hold words, the others numbers
    print(f"{questions} question{'s' if questions != 1 else ''}; the figures are per cent, the times milliseconds.\n")
    for line in shown:
        cells = [
            cell.ljust(width) if i < texts else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def _category(name: str | None) -> str:
    return "all" if name is None else name or "none"


def _percents(figures: Figures, sign: str) -> list[str]:
    return [f"{100 * value:{sign}.1f}" for value in (*figures.recall.values(), figures.ndcg, figures.mrr)]


def _times(row: SearchRow | RowDifference, sign: str) -> list[str]:
    return [f"{row.median_ms:{sign}.1f}", f"{row.p95_ms:{sign}.1f}"]


def _document(
    questions: int,
    options: EvaluationOptions,
    rows: list[SearchRow],
    changed: list[RowDifference],
    notices: tuple[str, ...],
) -> dict[str, Any]:
    return {
        "questions": questions,
        "k": options.depth,
        "rows": [{"settings": row.settings, "questions": row.questions, **_figures(row)} for row in rows],
        "differences": [_figures(one) for one in changed],
        "notices": list(notices),
    }


def _figures(row: SearchRow | RowDifference) -> dict[str, Any]:
    return {
        "mode": row.mode,
        "category": row.category,
        "recall": {str(depth): round(value, 6) for depth, value in row.figures.recall.items()},
        "ndcg_at_10": round(row.figures.ndcg, 6),
        "mrr": round(row.figures.mrr, 6),
        "median_ms": round(row.median_ms, 2),
        "p95_ms": round(row.p95_ms, 2),
    }
