"""Reading the results of a job: each of its texts once, and only vectors that can be used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from memoro.errors import ProviderError
from memoro.providers.batch.ports import BatchResult
from memoro.providers.checked import check_response
from memoro.providers.ports import Space


class ResultLine(NamedTuple):
    """One line of a job's results, as the provider wrote it."""

    digest: str
    numbers: object  # what should be a list of numbers; None: there is none
    why: str = ""  # what the provider says about a text without a vector


def checked_results(lines: Iterable[ResultLine], digests: Collection[str], space: Space) -> Iterator[BatchResult]:
    """Yield the first result of each of these texts, with its vector checked and of length one.

    Leaves out what was never asked for. A vector that cannot be used is a result without one.
    """
    waiting = set(digests)
    for line in lines:
        if line.digest not in waiting:
            continue
        waiting.remove(line.digest)
        yield _checked(line, space)


def _checked(line: ResultLine, space: Space) -> BatchResult:
    if line.numbers is None:
        return BatchResult(line.digest, None, line.why or "The job returned no vector for it.")
    try:
        return BatchResult(line.digest, check_response([line.numbers], 1, space)[0])
    except ProviderError as error:
        return BatchResult(line.digest, None, str(error))


def lines_of(documents: Iterable[object], read: Callable[[object], ResultLine | None]) -> Iterator[ResultLine]:
    """Yield what can be read of some lines: one that is cut off or means nothing loses no other."""
    for document in documents:
        found = read(document)
        if found is not None:
            yield found
