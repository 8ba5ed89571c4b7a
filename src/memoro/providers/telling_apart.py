"""Whether a model tells texts apart: one that gives all texts the same vector finds nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.providers.probe_samples import ANSWER, OTHERS

if TYPE_CHECKING:
    from memoro.providers.ports import Embedder, Vectors

SAME = 0.9999  # a cosine from which two vectors are one


def are_all_the_same(rows: Vectors) -> bool:
    """Return whether two rows or more, each of another text, are one vector. Rows of zeros do not count."""
    import numpy

    lengths = numpy.linalg.norm(rows, axis=1)
    told = rows[lengths > 0] / lengths[lengths > 0][:, None]
    return len(told) > 1 and float((told @ told[0]).min()) > SAME


def tells_texts_apart(embedder: Embedder) -> bool:
    """Ask for the vectors of three texts of our own, which have nothing in common. Raises a `ProviderError`."""
    return not are_all_the_same(embedder.embed([ANSWER, *OTHERS], "document"))


def why_useless(space: str) -> str:
    return (
        f"{space} gives different texts the same vector, so that it finds nothing. See that the server runs a model "
        f"for embeddings as one (llama.cpp: --embeddings), then run `memoro space drop {space}` and `memoro sync`."
    )
