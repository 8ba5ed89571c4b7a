"""POST /v1/embeddings, as OpenAI, Voyage and the compatible servers answer it; and Ollama's and TEI's own calls."""

from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from tests.standin import refusals
from tests.standin.faults import Fault, Row, cap_of, spoil
from tests.standin.messages import Answer, Refused
from tests.standin.options import (
    CUTTING,
    LIMITS,
    TAKING_DIMENSIONS,
    WITHOUT_BASE64,
    Flavour,
    Limits,
    Options,
)
from tests.standin.vectors import WIDTHS, Model, count_tokens, cut

_VOYAGE_FIELDS = frozenset(
    {"input", "model", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"}
)


class Embedding(NamedTuple):
    """A request for vectors, after it was read."""

    model: str
    texts: tuple[str, ...]
    dimensions: int | None = None
    is_query: bool = False
    is_base64: bool = False
    cuts: bool = False  # long texts are shortened and not refused
    longest: int | None = None  # in tokens, where it depends on the model
    is_unit: bool = True  # vectors of a smaller width have length one too


class Spoiling(NamedTuple):
    """The fault of one call, and the chances within it."""

    fault: Fault | None
    chance: random.Random


class Models:
    """The models of one server."""

    def __init__(self, flavour: Flavour, options: Options) -> None:
        self.flavour = flavour
        self.options = options
        self.limits: Limits = options.limits or LIMITS[flavour]
        self._models: dict[str, Model] = {}
        self._revision = 0

    def model(self, name: str) -> Model:
        """Return a model by its name. Raises `Refused` where the server has no such model."""
        known = {one.removesuffix(":latest") for one in self.options.models}
        plain = name.removesuffix(":latest")
        if (known and plain not in known) or plain.startswith("missing"):
            raise Refused(refusals.model_missing(self.flavour, name))
        if name not in self._models:
            self._models[name] = Model(WIDTHS.get(name, self.options.dimensions))
            self._models[name].revision = self._revision
        return self._models[name]

    def change(self) -> None:
        """Make another model answer to each name."""
        self._revision += 1
        for model in self._models.values():
            model.revision = self._revision

    def check(self, asked: Embedding, spoiling: Spoiling) -> None:
        """Raise `Refused` where the server does not take these texts."""
        flavour, limits, count = self.flavour, self.limits, len(asked.texts)
        cap = cap_of(spoiling.fault)
        if cap is not None and count > cap[0]:
            raise Refused(refusals.too_many_texts(flavour, count, cap[0], is_named=cap[1]))
        if count > limits.most_texts:
            raise Refused(refusals.too_many_texts(flavour, count, limits.most_texts))
        tokens = [count_tokens(text) for text in asked.texts]
        if not asked.cuts and max(tokens) > limits.longest_text:
            raise Refused(refusals.text_too_long(flavour, max(tokens), limits.longest_text))
        tokens = [min(count, limits.longest_text) for count in tokens]
        if sum(tokens) > limits.most_tokens:
            raise Refused(refusals.too_many_tokens(flavour, sum(tokens), limits.most_tokens))
        if any(word in text for word in self.options.poison for text in asked.texts):
            raise Refused(refusals.cannot_embed(flavour))

    def rows(self, asked: Embedding, spoiling: Spoiling) -> list[Row]:
        """Return the vectors of a request as its fault leaves them. Raises `Refused`."""
        model = self.model(asked.model)
        self.check(asked, spoiling)
        texts = [cut(text, asked.longest or self.limits.longest_text) if asked.cuts else text for text in asked.texts]
        rows = [
            Row(
                place=place,
                text=whole,
                values=[1.0, 2.0] if self.options.is_constant else _values(model, asked, text),
            )
            for place, (whole, text) in enumerate(zip(asked.texts, texts, strict=True))
        ]
        return spoil(rows, spoiling.fault, spoiling.chance)


def _values(model: Model, asked: Embedding, text: str) -> list[float | None]:
    """A width that is cut without stretching is what some models return, and a client must stretch it."""
    row = model.embed(text, dimensions=asked.dimensions if asked.is_unit else None, is_query=asked.is_query)
    found: list[float | None] = (row if asked.is_unit else row[: asked.dimensions]).tolist()
    return found


def texts_of(field: Any) -> tuple[str, ...]:
    """Return the texts in an `input`: a string, strings, the tokens of one text, or of several."""
    if isinstance(field, str):
        return (field,)
    if not isinstance(field, list):
        return ()
    if field and all(isinstance(one, int) for one in field):
        return (f"tokens {field}",)
    return tuple(one if isinstance(one, str) else f"tokens {one}" for one in field)


def read_openai(flavour: Flavour, body: Any) -> Embedding:
    """Read a request to /v1/embeddings. Raises `Refused` where this server does not understand it."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise Refused(refusals.error(flavour, 400, "you must provide a model parameter"))
    texts = texts_of(body.get("input"))
    if not texts or (flavour in ("openai", "voyage", "gemini") and not all(texts)):
        raise Refused(refusals.error(flavour, 400, "'$.input' is invalid. It must not be empty."))
    if flavour == "voyage":
        return _read_voyage(body, texts)
    dimensions = body.get("dimensions")
    if dimensions is not None and flavour == "vllm":
        message = f'Model "{body["model"]}" does not support matryoshka representation.'
        raise Refused(refusals.error(flavour, 400, message))
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise Refused(refusals.error(flavour, 400, "Invalid value for 'encoding_format'."))
    return Embedding(
        model=body["model"],
        texts=texts,
        dimensions=dimensions if flavour in TAKING_DIMENSIONS else None,
        is_base64=body.get("encoding_format") == "base64" and flavour not in WITHOUT_BASE64,
        cuts=flavour in CUTTING,
    )


def _read_voyage(body: dict[str, Any], texts: tuple[str, ...]) -> Embedding:
    def refuse(message: str) -> Refused:
        return Refused(refusals.error("voyage", 400, message))

    for field in body:
        if field not in _VOYAGE_FIELDS:
            raise refuse(f"Argument '{field}' is not supported by our API.")
    if body.get("encoding_format") not in (None, "base64"):
        raise refuse(
            f"Value '{body['encoding_format']}' supplied for argument 'encoding_format' is not valid -- "
            "accepted values are ['base64']."
        )
    if body.get("input_type") not in (None, "query", "document"):
        raise refuse(f"Value '{body['input_type']}' supplied for argument 'input_type' is not valid.")
    return Embedding(
        model=body["model"],
        texts=texts,
        dimensions=body.get("output_dimension"),
        is_query=body.get("input_type") == "query",
        is_base64=body.get("encoding_format") == "base64",
        cuts=body.get("truncation", True),
    )


def openai_answer(flavour: Flavour, asked: Embedding, rows: Sequence[Row]) -> Answer:
    """Return vectors in OpenAI's shape."""
    tokens = sum(count_tokens(text) for text in asked.texts)
    usage = {"total_tokens": tokens} if flavour == "voyage" else {"prompt_tokens": tokens, "total_tokens": tokens}
    document = {
        "object": "list",
        "data": [_item(row, asked.is_base64) for row in rows],
        "model": asked.model,
        "usage": usage,
    }
    return Answer(200, document, arriving=_right(rows), paid=asked.texts)


def _item(row: Row, is_base64: bool) -> dict[str, object]:
    place = {} if row.place is None else {"index": row.place}
    return {"object": "embedding", **place, "embedding": _base64(row.values) if is_base64 else row.values}


def _base64(values: list[float | None]) -> str:
    numbers = [float("nan") if value is None else value for value in values]
    return base64.b64encode(numpy.asarray(numbers, "<f4").tobytes()).decode()


def _right(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(row.text for row in rows if row.is_right)


def read_ollama(body: Any) -> Embedding:
    """Read a request to /api/embed."""
    return Embedding(
        model=str(body.get("model")),
        texts=texts_of(body.get("input")),
        dimensions=body.get("dimensions"),
        cuts=body.get("truncate", True),
    )


def ollama_answer(asked: Embedding, rows: Sequence[Row]) -> Answer:
    """Return vectors in the shape of /api/embed: nothing says which text each belongs to."""
    tokens = sum(count_tokens(text) for text in asked.texts)
    document = {
        "model": asked.model,
        "embeddings": [row.values for row in rows],
        "total_duration": 1_000_000,
        "load_duration": 1000,
        "prompt_eval_count": tokens,
    }
    return Answer(200, document, arriving=_in_order(asked, rows), paid=asked.texts)


def read_tei(body: Any) -> Embedding:
    """Read a request to /embed."""
    inputs = texts_of(body.get("inputs"))
    return Embedding(model="tei", texts=inputs, cuts=body.get("truncate", False))


def bare_answer(asked: Embedding, rows: Sequence[Row]) -> Answer:
    """Return vectors as TEI's /embed does: a list of lists."""
    return Answer(200, [row.values for row in rows], arriving=_in_order(asked, rows), paid=asked.texts)


def unpooled_answer(asked: Embedding, rows: Sequence[Row]) -> Answer:
    """Return vectors as llama.cpp's /embedding and /embeddings do, which is not OpenAI's shape."""
    document = [{"index": row.place, "embedding": [row.values]} for row in rows]
    return Answer(200, document, arriving=_right(rows), paid=asked.texts)


def _in_order(asked: Embedding, rows: Sequence[Row]) -> tuple[str, ...]:
    """Without indexes, only a complete answer in order can be used."""
    is_whole = tuple(row.text for row in rows) == asked.texts
    return _right(rows) if is_whole else ()
