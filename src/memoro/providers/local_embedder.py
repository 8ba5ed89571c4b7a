"""An embedder that runs in this process: its model is loaded once, when the first text comes."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.errors import ProviderError, ProviderRejected, ProviderUnavailable, TextRejected
from memoro.model.vocabulary import Role
from memoro.providers import local_models
from memoro.providers.local_models import LOCAL_PROVIDERS, LocalProvider, ModelName, ModelRecord
from memoro.providers.ports import FREE, EmbedderInfo, Space
from memoro.providers.prefixes import Prefixes, prefixes_of

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.registry import EmbedderSettings, ProviderContext

QUERY_SECONDS = 0.4  # for the vector of a query, once the model is loaded
LOAD_SECONDS = 3.0  # how long a search that somebody asked for waits for the model to be loaded as well
REQUEST_SECONDS = 300.0  # a long text takes a large model seconds, and a request has many
# In one request: between two, a sync can be stopped and shows its progress.
_MOST_TEXTS: dict[LocalProvider, int] = {"fastembed": 16, "model2vec": 256}
_PROBE = "A text to measure the width of the vectors."
IN_MEMORY = ":memory:"


class TextEncoder(Protocol):
    """A loaded model. Several threads use it at once."""

    @property
    def longest_text(self) -> int | None:
        """Return how many tokens of a text it reads; None: all."""

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return a row for each text, of any length; zeros for a text without any word that it knows."""


class _Loaded(NamedTuple):
    encoder: TextEncoder
    files: object  # as they were verified


_loaded: dict[tuple[LocalProvider, str], _Loaded] = {}
_loading: dict[tuple[LocalProvider, str], threading.Lock] = {}
_records_of_memory: dict[tuple[LocalProvider, ModelName], ModelRecord] = {}  # of homes that have no files


class LocalEmbedder:
    """Computes vectors on this machine with the model of a record. Nothing leaves the process."""

    def __init__(self, record: ModelRecord, home: str, dimensions: int | None = None) -> None:
        width = record.dimensions
        if dimensions is not None and not 1 <= dimensions <= width:
            raise ProviderRejected(
                f"embedding.dimensions = {dimensions}, but {record.name} has vectors of {width} numbers. "
                f"Set it to {width} or less, or unset it."
            )
        self._record, self._home = record, home
        shown = os.path.basename(record.name) if record.name.startswith("/") else record.name
        self._prefixes = Prefixes("prompts", **record.prompts) if record.prompts else prefixes_of(shown)
        self.space = Space(
            provider=record.provider,
            model=f"{shown}#{record.digest}",
            dimensions=dimensions or width,
            preparation=self._prefixes.name,
        )

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo(
            prices=FREE,
            most_texts=_MOST_TEXTS[self._record.provider],
            longest_text=self._record.longest_text,
            query_seconds=QUERY_SECONDS if self.is_loaded else LOAD_SECONDS,
            load_seconds=0.0 if self.is_loaded else LOAD_SECONDS,
            request_seconds=REQUEST_SECONDS,
        )

    @property
    def is_loaded(self) -> bool:
        return (self._record.provider, self._record.folder) in _loaded

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        import numpy

        width = self.space.dimensions
        if not texts:
            return numpy.zeros((0, width), numpy.float32)
        before, encoder = self._prefixes.before(role), _encoder_of(self._record, self._home)
        rows = encoder.encode([before + text for text in texts], role)[:, :width]
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        if not lengths.all():
            raise TextRejected(f"{self.space} knows no word of {'the text' if len(texts) == 1 else 'a text'}.")
        unit: Vectors = (rows / lengths).astype(numpy.float32)
        return unit


def make_local(provider: LocalProvider, settings: EmbedderSettings, context: ProviderContext) -> LocalEmbedder:
    """Return the embedder of a model on this machine.

    Its record is made where `may_ask` allows it, which loads the model. Raises `ProviderUnavailable` where a sync
    must come first, and `ProviderRejected` where the extra or the folder is missing or a file has changed.
    """
    check_extra(provider)
    name, home = local_models.parse_name(settings.model, provider), context.folder
    record = _known_record(provider, name, home)
    if record is None:
        _check_present(provider, name, home)
        if not context.may_ask:
            raise ProviderUnavailable(f"The model {name} was never loaded yet. Run `memoro sync`: it prepares it.")
        record = record_model(provider, name, home)
    elif context.may_ask:
        record = _restamped(record, name, home)
    return LocalEmbedder(record, home, settings.dimensions)


def record_model(provider: LocalProvider, name: ModelName, home: str, commit: str | None = None) -> ModelRecord:
    """Load a model for the first time, and record its width and its files."""
    folder = local_models.folder_of(home, provider, name)
    try:
        encoder = _load(provider, folder, None if name.is_folder else name.text)
        row = encoder.encode([_PROBE], "document")
        files = local_models.files_of(folder)
    except OSError as error:
        raise ProviderUnavailable(f"The model in {folder} cannot be read: {error.strerror}.") from error
    record = ModelRecord(
        provider=provider,
        name=str(name),
        folder=folder,
        dimensions=int(row.shape[1]),
        longest_text=encoder.longest_text,
        prompts=prompts_of(folder),
        files=files,
        commit=commit,
    )
    _keep_record(record, name, home)
    _loaded[provider, folder] = _Loaded(encoder, files)
    return record


def unload() -> None:
    """Let go of all loaded models; the next text loads its model again."""
    _loaded.clear()


def check_extra(provider: LocalProvider) -> None:
    """Raise `ProviderRejected` where the library of a provider is not installed."""
    if importlib.util.find_spec(provider) is None:
        raise ProviderRejected(
            f"embedding.provider = {provider!r} needs a package that is not installed. "
            f'Run `pip install "memoro[{provider}]"`.'
        )


class VerifiedModel(NamedTuple):
    """A local model whose files were all read."""

    record: ModelRecord
    change: str | None  # what has changed since they were recorded, as a sentence


def verify_model(settings: EmbedderSettings, home: str) -> VerifiedModel | None:
    """Read all files of the local model that the settings mean; None where they mean none that was ever loaded."""
    provider = next((one for one in LOCAL_PROVIDERS if one == settings.provider), None)
    if settings.provider == "auto":
        provider = local_models.local_provider(settings.model, home)
    if provider is None:
        return None
    record = _known_record(provider, local_models.parse_name(settings.model, provider), home)
    if record is None:
        return None
    changed = local_models.changed_file(record, thorough=True)
    return VerifiedModel(record, local_models.why_changed(record, changed, home) if changed else None)


def prompts_of(folder: str) -> dict[str, str]:
    """Return what comes before a text of each role, as the model's own files say; empty where they say nothing."""
    prompts = local_models.read_json(os.path.join(folder, "config_sentence_transformers.json")).get("prompts")
    if not isinstance(prompts, dict):
        return {}
    found = {"query": prompts.get("query"), "document": prompts.get("document", prompts.get("passage"))}
    return {role: prompt for role, prompt in found.items() if isinstance(prompt, str) and prompt}


def _encoder_of(record: ModelRecord, home: str) -> TextEncoder:
    """Return the loaded model; the first to ask loads it, and others wait for that."""
    place = (record.provider, record.folder)
    with _loading.setdefault(place, threading.Lock()):
        known = _loaded.get(place)
        if known is not None and known.files == record.files:
            return known.encoder
        changed = local_models.changed_file(record)
        if changed is not None:
            raise ProviderRejected(local_models.why_changed(record, changed, home))
        name = local_models.parse_name(record.name, record.provider)
        encoder = _load(record.provider, record.folder, None if name.is_folder else name.text)
        _loaded[place] = _Loaded(encoder, record.files)
        return encoder


def _load(provider: LocalProvider, folder: str, name: str | None) -> TextEncoder:
    """Load a model from its folder alone: the libraries are never given a name that they could download."""
    if not os.path.isdir(folder):
        raise ProviderRejected(f"There is no folder {folder} with a model.")
    try:
        if provider == "fastembed":
            from memoro.providers.fastembed import load as load_onnx

            return load_onnx(folder, name)
        from memoro.providers.model2vec import load as load_static

        return load_static(folder)
    except (ProviderError, MemoryError):
        raise
    except Exception as error:  # the libraries raise whatever their parsers do
        raise ProviderRejected(
            f"{provider} cannot load the model in {folder}: {type(error).__name__}: {error}"
        ) from error


def _known_record(provider: LocalProvider, name: ModelName, home: str) -> ModelRecord | None:
    if home == IN_MEMORY:
        return _records_of_memory.get((provider, name))
    return local_models.read_record(home, provider, name)


def _keep_record(record: ModelRecord, name: ModelName, home: str) -> None:
    if home == IN_MEMORY:
        _records_of_memory[record.provider, name] = record
    else:
        local_models.write_record(home, record, name)


def _restamped(record: ModelRecord, name: ModelName, home: str) -> ModelRecord:
    """Take new times of files whose content is the same into the record, so that later loads need not read them."""
    changed = local_models.changed_file(record)
    if changed is not None:
        raise ProviderRejected(local_models.why_changed(record, changed, home))
    now = {path: os.stat(os.path.join(record.folder, path)).st_mtime_ns for path in record.files}
    if all(file.mtime_ns == now[path] for path, file in record.files.items()):
        return record
    files = {path: file._replace(mtime_ns=now[path]) for path, file in record.files.items()}
    record = record._replace(files=files)
    _keep_record(record, name, home)
    return record


def _check_present(provider: LocalProvider, name: ModelName, home: str) -> None:
    if os.path.isdir(local_models.folder_of(home, provider, name)):
        return
    if name.is_folder:
        raise ProviderRejected(f"embedding.model = {name}: there is no such folder.")
    if home == IN_MEMORY:
        raise ProviderRejected(f"A home in memory keeps no models. Set embedding.model to a folder that has {name}.")
    raise ProviderUnavailable(f"The model {name} {local_models.ABSENT}")
