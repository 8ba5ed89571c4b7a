"""Models on this machine: how a setting names one, where it is kept, and whether its files are still the same.

A model is used only after its record was written: then its width is known without loading it, and a file that
changes later is noticed. Models that Memoro downloaded are in `models/` of the home; a folder that the owner names
stays where it is, and only its record is in the home.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple, get_args

from memoro.errors import ProviderRejected, ProviderUnavailable

LocalProvider = Literal["fastembed", "model2vec"]
LOCAL_PROVIDERS: tuple[LocalProvider, ...] = get_args(LocalProvider)
# The model of a provider whose owner names none: small ones for English text that find passages well.
USUAL_MODELS: dict[LocalProvider, str] = {
    "fastembed": "BAAI/bge-small-en-v1.5",
    "model2vec": "minishlab/potion-retrieval-32M",
}
FOLDER = "models"  # of the home
ABSENT = "is not on this machine yet. Run `memoro sync`: it asks before it downloads anything."
# Only these belong to a model: a README that changes does not change its vectors.
_SUFFIXES = (".onnx", ".onnx_data", ".safetensors", ".json", ".txt", ".model")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[A-Za-z0-9][\w.-]*)?", re.ASCII)
_AT_ONCE = 1 << 20  # bytes


class ModelName(NamedTuple):
    """A model as `embedding.model` names it: by its name at a source, or by its folder."""

    text: str  # the name without a revision, or the absolute path of the folder
    revision: str | None = None
    is_folder: bool = False

    def __str__(self) -> str:
        return f"{self.text}@{self.revision}" if self.revision else self.text


class ModelFile(NamedTuple):
    """One file of a model as it was when it was recorded."""

    size: int
    mtime_ns: int
    sha256: str


class ModelRecord(NamedTuple):
    """The facts about a model that was loaded once."""

    provider: LocalProvider
    name: str  # as `ModelName` writes it
    folder: str
    dimensions: int
    longest_text: int | None  # in tokens; what is behind it is not read. None: all is read
    prompts: Mapping[str, str]  # what the model's own files say to put before a text, by its role
    files: Mapping[str, ModelFile]  # by path in the folder
    commit: str | None = None  # at the source

    @property
    def digest(self) -> str:
        """Names the content of all files, so that another model of the same name has a space of its own."""
        lines = "".join(f"{path} {file.sha256}\n" for path, file in sorted(self.files.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:8]


def parse_name(model: str | None, provider: LocalProvider) -> ModelName:
    """Return what a setting names. Raises `ProviderRejected` where it can be no model."""
    text = model or USUAL_MODELS[provider]
    if text.startswith(("/", "~")):
        return ModelName(os.path.abspath(os.path.expanduser(text)), is_folder=True)
    if not _NAME.fullmatch(text):
        raise ProviderRejected(
            f"embedding.model = {text!r} names no model. Write OWNER/NAME such as {USUAL_MODELS[provider]}, "
            "OWNER/NAME@REVISION, or the whole path of a folder with the model."
        )
    name, _, revision = text.partition("@")
    return ModelName(name, revision or None)


def folder_of(home: str, provider: LocalProvider, name: ModelName) -> str:
    """Return the folder in which a model is, or will be once it is downloaded."""
    return name.text if name.is_folder else os.path.join(home, FOLDER, _key(provider, name))


def record_file(home: str, provider: LocalProvider, name: ModelName) -> str:
    return os.path.join(home, FOLDER, f"{_key(provider, name)}.json")


def read_record(home: str, provider: LocalProvider, name: ModelName) -> ModelRecord | None:
    """Return the record of a model; None where there is none, or none that can be read."""
    try:
        record = _decoded(read_json(record_file(home, provider, name)))
        return record._replace(folder=folder_of(home, provider, name))  # a home may have been moved
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write_record(home: str, record: ModelRecord, name: ModelName) -> None:
    """Write the record of a model, whole or not at all."""
    file = record_file(home, record.provider, name)
    make_private_folder(os.path.dirname(file))
    temporary = f"{file}.{os.getpid()}.tmp"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            json.dump(_encoded(record), out, indent=1)
        os.replace(temporary, file)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise ProviderUnavailable(f"{file} cannot be written: {error.strerror}.") from error


def make_private_folder(folder: str) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise ProviderUnavailable(f"The folder {folder} cannot be made: {error.strerror}.") from error


def files_of(folder: str) -> dict[str, ModelFile]:
    """Read all files of a model, for its record."""
    return {path: _read(os.path.join(folder, path)) for path in _paths(folder)}


def changed_file(record: ModelRecord, *, thorough: bool = False) -> str | None:
    """Return which file of a model is gone or has other content than its record says; None: all are the same.

    A file with the size and the time of its record is taken for unchanged, unless the look is thorough.
    """
    for path, known in record.files.items():
        file = os.path.join(record.folder, path)
        try:
            found = os.stat(file)
            same_stamp = (found.st_size, found.st_mtime_ns) == (known.size, known.mtime_ns)
            if same_stamp and not thorough:
                continue
            if found.st_size != known.size or sha256_of(file) != known.sha256:
                return path
        except OSError:
            return path
    return None


def why_changed(record: ModelRecord, path: str, home: str) -> str:
    """Say that a model is not the one that was recorded, and what to do."""
    name = parse_name(record.name, record.provider)
    file = record_file(home, record.provider, name)
    if name.is_folder:
        return (
            f"The model in {record.folder} has changed: {path} is not the file that Memoro first used. Put it back; "
            f"or, if you changed it yourself, delete {file} and run `memoro sync`, which makes a new space for it."
        )
    return (
        f"The model {record.name} has changed on disk: {path} is not the file that was downloaded. Delete "
        f"{record.folder} and {file}, and run `memoro sync` to download it again."
    )


def sha256_of(file: str) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        while block := content.read(_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def read_json(file: str) -> dict[str, Any]:
    """Return the object in one of a model's files; an empty one where there is none."""
    try:
        with open(file, encoding="utf-8") as content:
            document = json.load(content)
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def kind_of_folder(folder: str) -> LocalProvider | None:
    """Return which library can load the model in a folder, by its files; None: neither."""
    try:
        paths = list(_paths(folder))
    except OSError:
        return None
    if any(path.endswith(".onnx") for path in paths):
        return "fastembed"
    return "model2vec" if any(path.endswith(".safetensors") for path in paths) else None


def local_provider(model: str | None, home: str) -> LocalProvider | None:
    """Return which library has the model that `embedding.model` names; None where it is not on this machine."""
    for provider in LOCAL_PROVIDERS if model else ():
        try:
            name = parse_name(model, provider)
        except ProviderRejected:
            return None
        if name.is_folder:
            return kind_of_folder(name.text)
        if os.path.isdir(folder_of(home, provider, name)):
            return provider
    return None


def _key(provider: LocalProvider, name: ModelName) -> str:
    if name.is_folder:
        return f"{provider}-folder-{hashlib.sha256(name.text.encode()).hexdigest()[:16]}"
    return f"{provider}-{str(name).replace('/', '--')}"


def _paths(folder: str) -> Iterator[str]:
    """The files of a model, in it and one folder below, where exports keep them."""
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.is_dir() and not entry.name.startswith("."):
            below = sorted(os.listdir(entry.path))
            yield from (f"{entry.name}/{name}" for name in below if name.endswith(_SUFFIXES))
        elif entry.name.endswith(_SUFFIXES):
            yield entry.name


def _read(file: str) -> ModelFile:
    found = os.stat(file)
    return ModelFile(size=found.st_size, mtime_ns=found.st_mtime_ns, sha256=sha256_of(file))


def _encoded(record: ModelRecord) -> dict[str, object]:
    return {**record._asdict(), "files": {path: file._asdict() for path, file in record.files.items()}}


def _decoded(document: dict[str, Any]) -> ModelRecord:
    files = {path: ModelFile(**file) for path, file in document.pop("files").items()}
    record = ModelRecord(files=files, **document)
    if not (isinstance(record.dimensions, int) and record.dimensions > 0 and isinstance(record.prompts, dict)):
        raise ValueError("the record of a model has another form")
    return record
