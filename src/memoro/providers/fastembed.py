"""Transformer models by the library fastembed, which runs them with onnxruntime."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import ProviderRejected
from memoro.model.vocabulary import Role
from memoro.providers.local_models import USUAL_MODELS, read_json

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# Where exports of models have their graph, the usual places first.
_GRAPHS = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_CONFIGS = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "config_sentence_transformers.json",
)
# One text at a time: a quantized model scales its numbers by all texts of a batch, so that a vector would depend on
# its neighbours, and a padded batch of passages is no quicker.
_BATCH = 1
_registering = threading.Lock()


class FastembedModel(NamedTuple):
    """One of the models that the library knows."""

    name: str
    repository: str  # at huggingface.co
    bytes: int
    files: tuple[str, ...]


class OnnxEncoder:
    """One loaded model. onnxruntime lets threads share it, so that no query waits for documents."""

    def __init__(self, model: Any) -> None:
        self._model = model
        tokenizer = getattr(model.model, "tokenizer", None)
        truncation = getattr(tokenizer, "truncation", None)
        self.longest_text: int | None = truncation["max_length"] if truncation else None

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        import numpy

        embed = self._model.query_embed if role == "query" else self._model.passage_embed
        return numpy.stack([numpy.asarray(row, numpy.float32) for row in embed(list(texts), batch_size=_BATCH)])


def load(folder: str, name: str | None) -> OnnxEncoder:
    """Load the model in a folder: the one that the library knows by this name, else whatever graph is there."""
    TextEmbedding = _library()
    name = name or _known_name(folder, TextEmbedding)
    if name is None:
        return OnnxEncoder(_custom(folder, TextEmbedding))
    return OnnxEncoder(TextEmbedding(name, specific_model_path=folder, local_files_only=True))


def find_model(name: str) -> FastembedModel:
    """Return what the library knows about a model. Raises `ProviderRejected` where it does not know it."""
    known = {one["model"].lower(): one for one in _library().list_supported_models()}
    found = known.get(name.lower())
    if found is None or found["sources"]["hf"] is None:
        raise ProviderRejected(
            f"fastembed knows no model {name}. Set embedding.model to one of its models, such as "
            f"{USUAL_MODELS['fastembed']}, or to a folder with an ONNX model."
        )
    return FastembedModel(
        name=found["model"],
        repository=found["sources"]["hf"],
        bytes=round(found["size_in_GB"] * 1e9),
        files=(*_CONFIGS, found["model_file"], *found["additional_files"]),
    )


def _library() -> Any:
    from fastembed import TextEmbedding
    from loguru import logger

    logger.disable("fastembed")  # it writes to stderr; what goes wrong is raised as well
    return TextEmbedding


def _known_name(folder: str, TextEmbedding: Any) -> str | None:
    """Return the library's model of which a folder is a copy, as its own files say; None where it is none."""
    said = read_json(os.path.join(folder, "config.json")).get("_name_or_path")
    for one in TextEmbedding.list_supported_models():
        has_graph = os.path.exists(os.path.join(folder, one["model_file"]))
        if has_graph and isinstance(said, str) and said.lower() in (one["model"].lower(), one["sources"]["hf"]):
            return str(one["model"])
    return None


def _custom(folder: str, TextEmbedding: Any) -> Any:
    graph = _graph(folder)
    model = _registered(folder, graph, _pooling(folder), TextEmbedding)
    if len(model.model.model.get_outputs()[0].shape) == 2:  # the graph pools by itself
        model = _registered(folder, graph, "DISABLED", TextEmbedding)
    return model


def _registered(folder: str, graph: str, pooling: str, TextEmbedding: Any) -> Any:
    """The library loads only models that are in its list: put the folder there, under a name of its own."""
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"memoro/{hashlib.sha256(f'{folder} {graph} {pooling}'.encode()).hexdigest()[:16]}"
    with _registering:
        if name not in {one["model"] for one in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType(pooling),
                normalization=True,
                sources=ModelSource(url=""),
                dim=1,  # not used: the vectors are measured
                model_file=graph,
            )
    return TextEmbedding(name, specific_model_path=folder, local_files_only=True)


def _graph(folder: str) -> str:
    below = [f"onnx/{name}" for name in _listed(os.path.join(folder, "onnx"))]
    graphs = [name for name in (*_listed(folder), *below) if name.endswith(".onnx")]
    usual = [name for name in _GRAPHS if name in graphs]
    if not graphs:
        raise ProviderRejected(
            f"{folder} holds no model for fastembed. It needs model.onnx, tokenizer.json and tokenizer_config.json."
        )
    if not usual and len(graphs) > 1:
        raise ProviderRejected(f"{folder} holds several models ({', '.join(graphs)}). Name one of them model.onnx.")
    return (usual or graphs)[0]


def _pooling(folder: str) -> str:
    """How the rows of the words become one, as exports of sentence-transformers say it; usually by their mean."""
    said = read_json(os.path.join(folder, "1_Pooling", "config.json"))
    if said.get("pooling_mode_cls_token"):
        return "CLS"
    return "LAST_TOKEN" if said.get("pooling_mode_lasttoken") else "MEAN"


def _listed(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
