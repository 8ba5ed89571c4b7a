"""Downloading a local model once its owner has agreed: never before, never by a search, and never a half one.

A download is written to a folder of its own. An interrupted one is resumed there; a complete one, whose sizes and
hashes are those of the source, takes its place under the model's own name.
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from memoro.errors import ProviderRejected, ProviderUnavailable, StorageFull
from memoro.model.system_errors import is_out_of_space
from memoro.providers import local_models
from memoro.providers.local_embedder import IN_MEMORY, check_extra, record_model
from memoro.providers.local_models import LOCAL_PROVIDERS, LocalProvider, ModelName

if TYPE_CHECKING:
    from memoro.providers.model_source import Listing, ModelSource, SourceFile
    from memoro.providers.registry import EmbedderSettings

HUB = "https://huggingface.co"
ENDPOINT = "HF_ENDPOINT"  # the variable that names a mirror
_SPARE_BYTES = 50_000_000  # left free on the disk

Progress = Callable[[int, int], None]  # bytes that are there, of how many


class Download(NamedTuple):
    """A model that must be downloaded before it can be used: what the owner is asked about."""

    provider: LocalProvider
    name: ModelName
    repository: str  # at the source
    endpoint: str  # the address of the source
    bytes: int | None  # None: unknown until the source is asked
    home: str
    files: tuple[str, ...]  # that belong to the model, as far as the source has them

    @property
    def source(self) -> str:
        """The host that the model comes from."""
        return urlsplit(self.endpoint).netloc

    @property
    def folder(self) -> str:
        """Where it will be kept."""
        return local_models.folder_of(self.home, self.provider, self.name)

    @property
    def sentence(self) -> str:
        """What will happen, for the question to the owner."""
        size = "size unknown" if self.bytes is None else shown_bytes(self.bytes)
        return (
            f"The model {self.name} ({size}) will be downloaded from {self.source} and kept in "
            f"{os.path.dirname(self.folder)}. It runs on this machine; no text leaves it."
        )


def pending_download(
    settings: EmbedderSettings, folder: str, environment: Mapping[str, str] | None = None
) -> Download | None:
    """Return what must be downloaded before the model of the settings can be used; None: nothing.

    No request is made: the size is the one that the library knows. Raises `ProviderRejected` where the extra is
    missing or there is no such model. `folder` is the home.
    """
    provider = next((one for one in LOCAL_PROVIDERS if one == settings.provider), None)
    if provider is None or folder == IN_MEMORY:
        return None
    name = local_models.parse_name(settings.model, provider)
    if name.is_folder or os.path.isdir(local_models.folder_of(folder, provider, name)):
        return None
    check_extra(provider)
    repository, size, files = _known(provider, name.text)
    return Download(
        provider=provider,
        name=name,
        repository=repository,
        endpoint=(environment or {}).get(ENDPOINT, HUB).rstrip("/"),
        bytes=size,
        home=folder,
        files=files,
    )


def download(wanted: Download, progress: Progress | None = None) -> None:
    """Download a model, verify it, load it once, and record its files.

    Raises `ProviderUnavailable` where it was interrupted: the next download resumes it. Raises `ProviderRejected`
    where the source has no such model, or sends other bytes than it announced; then nothing of it is kept.
    """
    from memoro.providers.model_source import ModelSource

    source, models = ModelSource(wanted.endpoint), os.path.dirname(wanted.folder)
    local_models.make_private_folder(models)
    with _alone(models, str(wanted.name)), _full_disk_said(models):
        if os.path.isdir(wanted.folder):  # another process was quicker
            return
        listing = source.list_files(wanted.repository, wanted.name.revision, wanted.files)
        if not any(file.path.endswith((".onnx", ".safetensors")) for file in listing.files):
            raise ProviderRejected(f"{wanted.repository} at {wanted.source} holds no model for {wanted.provider}.")
        partial = _partial(wanted, listing.commit)
        _fetch(wanted, listing, source, partial, progress or _ignore)
        _verify(wanted, partial, listing.files)
        os.rename(partial, wanted.folder)
        record_model(wanted.provider, wanted.name, wanted.home, listing.commit)


def shown_bytes(count: int) -> str:
    """Return a size as a person reads it: 67 MB, 1.2 GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def _known(provider: LocalProvider, name: str) -> tuple[str, int | None, tuple[str, ...]]:
    if provider == "model2vec":
        from memoro.providers import model2vec

        return name, model2vec.SIZES.get(name), model2vec.FILES
    from memoro.providers.fastembed import find_model

    found = find_model(name)
    return found.repository, found.bytes, found.files


def _partial(wanted: Download, commit: str) -> str:
    """Return the folder of an unfinished download; one of another commit is deleted."""
    folder = f"{wanted.folder}.partial-{commit[:12]}"
    for other in glob.glob(f"{glob.escape(wanted.folder)}.partial-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _fetch(wanted: Download, listing: Listing, source: ModelSource, partial: str, progress: Progress) -> None:
    total, done = sum(file.size for file in listing.files), _size_of(partial)
    if shutil.disk_usage(os.path.dirname(partial)).free + done < total + _SPARE_BYTES:
        raise StorageFull(f"a model of {shown_bytes(total)} in {os.path.dirname(partial)}")

    def report(new: int) -> None:
        nonlocal done
        done += new
        progress(done, total)

    local_models.make_private_folder(partial)
    for file in listing.files:
        to = os.path.join(partial, file.path)
        if not os.path.exists(to):
            source.fetch(wanted.repository, listing.commit, file, to, report)
            os.chmod(to, 0o600)


def _verify(wanted: Download, folder: str, files: tuple[SourceFile, ...]) -> None:
    for file in files:
        path = os.path.join(folder, file.path)
        if os.path.getsize(path) != file.size or (file.sha256 and local_models.sha256_of(path) != file.sha256):
            shutil.rmtree(folder, ignore_errors=True)
            raise ProviderRejected(
                f"{file.path} of {wanted.name} did not arrive as {wanted.source} announced it, and was deleted. "
                "Run `memoro sync` to download it again."
            )


@contextmanager
def _alone(models: str, name: str) -> Iterator[None]:
    """Let one process at a time download into a home. The system releases the lock of a process that was killed."""
    with open(os.open(os.path.join(models, "downloads.lock"), os.O_RDWR | os.O_CREAT, 0o600), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ProviderUnavailable(
                f"{name} cannot be downloaded now: another process is downloading a model."
            ) from error
        yield


@contextmanager
def _full_disk_said(models: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_out_of_space(error):
            raise StorageFull(f"a model in {models}") from error
        raise ProviderUnavailable(f"The model cannot be kept in {models}: {error.strerror}.") from error


def _size_of(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names)


def _ignore(_done: int, _total: int) -> None:
    pass
