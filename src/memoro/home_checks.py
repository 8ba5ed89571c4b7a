"""The checks of `doctor` on the home itself: its folder, its files, its locks and the engine below."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from memoro.config import FILE_NAME
from memoro.errors import IndexDamaged
from memoro.model.local_time import local
from memoro.model.vocabulary import CheckState
from memoro.store.files import EMBEDDINGS_FILE
from memoro.store.opening import cached_spaces, engine_facts
from memoro.vault.secret_places import SecretPlace

if TYPE_CHECKING:
    from memoro.providers.records import ProviderRecords


class Check(NamedTuple):
    """One thing looked at by `doctor`."""

    name: str
    state: CheckState
    found: str
    remedy: str = ""
    places: tuple[SecretPlace, ...] = ()  # of secrets in notes


def engine(home: str) -> Check:
    facts = engine_facts(home)
    found = f"{facts.engine}, page checksums {'on' if facts.page_checksums else 'off'}"
    if not facts.is_sound:
        return Check(name="engine", state="warning", found=found, remedy=facts.warnings[0])
    if not facts.page_checksums:
        return Check(
            name="engine",
            state="warning",
            found=found,
            remedy="Reinstall apsw from its wheel: it carries the checksum layer.",
        )
    return Check("engine", "ok", found)


def home(home: str) -> Check:
    if not os.path.isdir(home):
        return Check("home", "ok", f"{home} is not there yet; it is made when first needed")
    mode = os.stat(home).st_mode & 0o777
    if mode & 0o022:
        return Check(
            name="home",
            state="failed",
            found=f"{home}: others may write to it ({mode:o})",
            remedy=f"Run `chmod go-w {home}`.",
        )
    try:
        with tempfile.TemporaryFile(dir=home) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        remedy = "Make it writable and free some space, or set MEMORO_HOME to another folder."
        return Check(name="home", state="failed", found=f"{home} cannot be written: {error.strerror}", remedy=remedy)
    if mode & 0o077:
        return Check(
            name="home",
            state="warning",
            found=f"{home} can be read by others ({mode:o})",
            remedy=f"Run `chmod 700 {home}`.",
        )
    return Check("home", "ok", f"{home} can be written, only by its owner")


def _is_open_to_others(file: str) -> bool:
    try:
        return bool(os.lstat(file).st_mode & 0o077)
    except FileNotFoundError:  # another process has deleted it meanwhile
        return False


def private_files(home: str) -> Check:
    """Files of a home that was copied or restored may have got other modes on the way."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(home) for name in names]
    readable = sorted(filter(_is_open_to_others, found))
    ours = [file for file in readable if os.path.basename(file) != FILE_NAME]  # the owner's own, without secrets
    if ours:
        return Check(
            name="files",
            state="warning",
            found=f"{len(ours)} can be read by others, such as {ours[0]}",
            remedy=f"Run `chmod -R go-rwx {home}`.",
        )
    return Check("files", "ok", "only their owner can read them")


def provider_records(home: str, records: ProviderRecords) -> list[Check]:
    """Look at what is kept about providers; there is nothing to say where it is whole, or no other model was used."""
    records.usage()
    records.jobs()
    kept = os.path.join(home, "providers.damaged")
    lost_at = records.lost_at()
    if lost_at is None or not os.path.exists(kept):
        return []
    remedy = f"The provider's own page lists batch jobs that still run. Delete {kept} when you have no use for it."
    found = f"they were damaged, and begin anew on {local(lost_at)}: earlier costs and batch jobs are not known"
    return [Check(name="provider records", state="warning", found=found, remedy=remedy)]


def cached_vectors(home: str, used: Collection[str], *, deep: bool) -> list[Check]:
    """Look at the exact vectors: nothing is said of a file that is whole. `used` are the spaces of the index."""
    try:
        kept = cached_spaces(home, deep=deep)
    except IndexDamaged as error:
        found = f"{EMBEDDINGS_FILE} is damaged: {error.why}"
    else:
        missing = sorted(set(used) - kept) if kept is not None else []
        if not missing:
            return []
        found = f"{EMBEDDINGS_FILE} holds no vector of {missing[0]}, though the index has some"
    remedy = (
        "Searches use the rounded vectors beside the index. `memoro sync --force` computes the exact ones again; "
        "if another model makes them, that may cost money."
    )
    return [Check(name="cached vectors", state="warning", found=found, remedy=remedy)]


def locks(home: str) -> Check:
    """Two descriptors of one file must exclude each other, as two processes do."""
    from memoro.store.lock import KernelLock

    folder = home if os.path.isdir(home) and os.access(home, os.W_OK) else tempfile.gettempdir()
    with (
        tempfile.NamedTemporaryFile(dir=folder, prefix="lock.") as file,
        KernelLock(file.name).held(),
        KernelLock(file.name).tried() as taken_twice,
    ):
        pass
    if taken_twice:
        remedy = "The file system does not keep locks; set MEMORO_HOME to a local disk."
        return Check(name="locks", state="failed", found=f"two holders of one lock in {folder}", remedy=remedy)
    return Check("locks", "ok", f"kernel locks work in {folder}")


def file_system(home: str) -> Check:
    facts = engine_facts(home)
    if not facts.is_local:
        return Check(name="file system", state="warning", found=facts.file_system, remedy=facts.warnings[-1])
    logging = "on" if facts.write_ahead else "off"
    return Check("file system", "ok", f"{facts.file_system}, write-ahead logging {logging}")
