"""Compare the vault with the index before a sync, and refuse differences that look like an accident."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteTooLarge, NoteUnreadable, TooManyGone, VaultChanged
from memoro.index.plan import SyncPlan, brakes, plan
from memoro.index.report import Options
from memoro.model.notes import CONTAINER, UNKNOWN, WITHIN, FileEntry, Rules, Stamp, file_of, kind_of
from memoro.model.vocabulary import BOTH, LOGS, SyncPart
from memoro.store.ports import Index
from memoro.vault.files import VaultFiles
from memoro.vault.layout import Layout, layout
from memoro.vault.walk import Identity, Listing

NO_CONVERSATIONS = (CONTAINER, UNKNOWN)


class Look(NamedTuple):
    """The vault beside the index, before anything is done."""

    listing: Listing
    known: Mapping[str, FileEntry]
    layout: Layout
    plan: SyncPlan


def look(index: Index, vault: VaultFiles, rules: Rules, what: SyncPart = "both") -> Look:
    """Compare the disk with the index. Reads no note and writes nothing.

    A look at one half neither lists nor knows the other, so it takes nothing of the other for gone.
    """
    listing = vault.list(what)
    known = index.files()
    if what != BOTH:
        known = {path: entry for path, entry in known.items() if (kind_of(path) == "transcript") == (what == LOGS)}
    lay = layout(listing.files, daily_folder=rules.daily_folder, daily_pattern=rules.daily_pattern)
    retiered = {
        p for p, e in known.items() if lay.may_be_retiered(p, e.tier) and p in listing.files and e.tier != lay.tier(p)
    }
    files = {p: e for p, e in known.items() if WITHIN not in p or file_of(p) not in listing.files}
    wanted = plan(listing.files, files, unlisted=listing.unlisted, retiered=retiered)
    return Look(listing=listing, known=known, layout=lay, plan=wanted)


def is_in_step(index: Index, vault: VaultFiles, rules: Rules, options: Options) -> bool:
    """Return whether a sync would change nothing, judged without reading a file."""
    seen = look(index, vault, rules, options.what)
    same = index.get_meta("identity") == str(seen.listing.identity)
    return same and not (seen.plan.read or seen.plan.gone or seen.listing.problems)


def check_identity(index: Index, vault: VaultFiles, listing: Listing, options: Options) -> None:
    """Refuse to take another folder for the vault: neither the same directory nor the same names."""
    kept = index.get_meta("identity")
    if options.what == LOGS or kept is None or options.accept_deletions or kept == str(listing.identity):
        return
    before, now = Identity.parse(kept), listing.identity
    same_folder = (before.device, before.inode) == (now.device, now.inode)
    common = len(set(before.names) & set(now.names))
    if not same_folder and common * 2 < len(before.names):
        indexed = index.get_meta("vault") or "unknown"
        is_empty = all(kind_of(path) == "transcript" for path in listing.files)
        raise VaultChanged(vault.root, indexed=indexed, is_empty=is_empty)


def check_brake(paths: Sequence[str], vault: VaultFiles, seen: Look, options: Options) -> None:
    """Files count, not the conversations in them; a log that was packed by the way is not gone.

    Nor do files count whose folder the settings no longer name: somebody took it out.
    """
    there = seen.listing.files
    gone = [path for path in paths if WITHIN not in path and f"{path}.zst" not in there and vault.is_named(path)]
    visible = sum(1 for path, entry in seen.known.items() if not entry.gone_at and WITHIN not in path)
    if brakes(len(gone), visible) and not options.accept_deletions:
        raise TooManyGone(gone=len(gone), known=visible, examples=sorted(gone)[:3])


class Dirty(NamedTuple):
    """A path for which index and disk say different things."""

    path: str
    why: Literal["new", "changed", "grown", "gone", "has another role"]
    bytes: int | None = None  # by which a log has grown
    due: bool | None = None  # whether that is enough for a sync of its own; else the next search or interval has it


def dirty(seen: Look, vault: VaultFiles, failed: Collection[str] = ()) -> Iterator[Dirty]:
    """Each path for which index and disk say different things, with the reason: bytes decide, not stamps.

    A note of `failed` that still cannot be read is none: a problem tells of it, and no sync can mend that.
    """
    for path in seen.plan.read:
        entry = seen.known.get(path)
        if path in failed and _is_unreadable(vault, path):
            continue
        if entry is None or entry.gone_at:
            yield Dirty(path, "new")
        elif entry.tier != seen.layout.tier(path) and entry.tier not in NO_CONVERSATIONS:
            yield Dirty(path, "has another role")
        elif not _holds(vault, entry):
            yield Dirty(path, "changed")
    for path in seen.plan.gone:
        yield Dirty(path, "gone")


def _is_unreadable(vault: VaultFiles, path: str) -> bool:
    from memoro.vault.encoding import decode

    try:
        decode(vault.read(path).data)
    except NoteNotFound:
        return False
    except NoteUnreadable:
        return True
    return False


def _holds(vault: VaultFiles, entry: FileEntry) -> bool:
    path, digest = entry.path, entry.digest
    try:
        if kind_of(path) == "transcript":
            from memoro.index.logs import digest_now

            return digest_now(vault, entry) == digest
        return file_digest(vault.read(path).data) == digest
    except NoteTooLarge as error:
        return unread_digest(Stamp(*error.stamp)) == digest
    except (NoteNotFound, NoteUnreadable):
        return False


def written_on(stamp: Stamp) -> str:
    """The day on which a file was last written."""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(stamp.mtime_ns / 1e9))
    except (ValueError, OverflowError, OSError):
        return "1970-01-01"


def unread_digest(stamp: Stamp) -> str:
    """Stands for the digest of a file too large to be read."""
    return f"unread:{stamp.size}:{stamp.mtime_ns}"


def file_digest(data: bytes) -> str:
    import hashlib  # loads OpenSSL: not needed while nothing has changed

    return hashlib.sha256(data).hexdigest()
