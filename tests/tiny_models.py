"""Tiny local models for tests, made here: a static one for model2vec, and a graph in ONNX for fastembed."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

WIDTH = 24
_WORDS = """
green tea is steeped at seventy degrees for the guests some green tea
the night train to Berlin leaves from platform three the train to Berlin
the dog is afraid of thunder a dog barks in the garden
"""


def tokenizer() -> Tokenizer:
    """A tokenizer that has the words above whole, and bytes for all others: every text has tokens."""
    made = Tokenizer(BPE())
    made.pre_tokenizer = ByteLevel(add_prefix_space=True)
    made.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=700,
        min_frequency=1,
        show_progress=False,
        special_tokens=["[PAD]"],
        initial_alphabet=ByteLevel.alphabet(),
    )
    made.train_from_iterator([_WORDS], trainer)
    return made


def table(rows: int, seed: int = 1) -> numpy.ndarray:
    return numpy.random.default_rng(seed).normal(size=(rows, WIDTH)).astype(numpy.float32)


def make_static_model(folder: Path, seed: int = 1) -> Path:
    """Write a model as model2vec saves it."""
    from model2vec import StaticModel

    words = tokenizer()
    StaticModel(table(words.get_vocab_size(), seed), words, {"normalize": True}, normalize=True).save_pretrained(
        folder
    )
    return folder


def make_onnx_model(folder: Path, *, pooled: bool = False, seed: int = 1) -> Path:
    """Write a model as exports of sentence-transformers are: a graph that looks the rows of the tokens up.

    `pooled`: the graph also takes their mean.
    """
    words = tokenizer()
    folder.mkdir(parents=True, exist_ok=True)
    words.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": WIDTH}))
    (folder / "model.onnx").write_bytes(_model(table(words.get_vocab_size(), seed), pooled))
    return folder


# --- ONNX, as its protocol buffers are written ----------------------------------------------------------

_FLOAT, _INT64 = 1, 7  # numbers of types in ONNX


def _model(rows: numpy.ndarray, pooled: bool) -> bytes:
    nodes = [_node("Gather", ["table", "input_ids"], "rows")]
    if pooled:
        axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)  # an attribute of the type INTS: [1]
        keep = _field(1, "keepdims") + _field(3, 0) + _field(20, 2)
        nodes.append(_node("ReduceMean", ["rows"], "mean", axes, keep))
    names: list[str | int] = ["batch", WIDTH] if pooled else ["batch", "tokens", WIDTH]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, "tiny"),
            _field(5, _tensor("table", rows)),
            _field(11, _value("input_ids", _INT64, ["batch", "tokens"])),
            _field(12, _value("mean" if pooled else "rows", _FLOAT, names)),
        ]
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 13))


def _node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    settings = b"".join(_field(5, attribute) for attribute in attributes)
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind) + settings


def _tensor(name: str, rows: numpy.ndarray) -> bytes:
    shape = b"".join(_field(1, size) for size in rows.shape)
    return shape + _field(2, _FLOAT) + _field(8, name) + _field(9, rows.tobytes())


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    sizes = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += struct.pack("B", value & 127 | 128)
        value >>= 7
    return out + struct.pack("B", value)
