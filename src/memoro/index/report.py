"""The options of a sync, and its report."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import rebuilding
from memoro.model.notes import NOTHING_HIDDEN, Hidden, Problem
from memoro.model.vocabulary import SyncPart

if TYPE_CHECKING:
    from memoro.index.embedding_plan import EmbeddingReport, FillProgress
    from memoro.providers.downloads import Download
else:
    Download = EmbeddingReport = FillProgress = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )

Progress = Callable[[int, int], None]
SETTINGS_CHANGED = "settings that shape the index have changed"


class Report(NamedTuple):
    """The result of a sync, with the problems that its owner should know."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    hidden: int = 0
    unchanged: int = 0
    files: int = 0
    chunks: int = 0
    problems: tuple[Problem, ...] = ()
    doubles: tuple[str, ...] = ()  # roles that two files claim
    rebuilt: str | None = None  # why the whole index was built anew, if it was
    degraded: tuple[str, ...] = ()  # what could not be brought up to date, and why
    took_ms: float = 0.0
    transcripts: int = 0  # of the files
    damage: str | None = None  # why vectors were written anew, if they were
    joined: bool = False  # another sync, begun after this one was asked for, has done it
    embedding: EmbeddingReport | None = None  # of a model that is not the built-in one
    download: Download | None = None  # the model that is wanted, where it waits for its owner's yes
    downloaded: str | None = None  # the name of the model that was downloaded


class Options(NamedTuple):
    now: str  # local time, as YYYY-MM-DDTHH:MM:SS
    moment: str = ""  # the same as UTC, as memories have it: 2026-03-05T14:02:11.123Z
    accept_deletions: bool = False
    progress: Progress = lambda _done, _total: None
    embed: bool = True  # complete the vectors too; a search by words alone need not wait for them
    whole: bool = True  # all of them, however many; a search does not wait for that
    loads: bool = True  # a model of this machine may be loaded for it; a recall does not wait for that
    what: SyncPart = "both"
    waits: bool = False  # for batch jobs, if the settings say so
    check: Callable[[], None] = lambda: None  # called between writes: what it raises ends the sync there
    hidden: Callable[[], Hidden] = lambda: NOTHING_HIDDEN  # what is not to be read from logs again
    agrees: bool = False  # the owner agrees to what filling a space is estimated to cost
    filling: Callable[[FillProgress], None] = lambda _progress: None


def sync_notices(done: Report) -> tuple[str, ...]:
    """The notices of an answer about the sync before it."""
    return (*repair_notices(done), *done.degraded)


def repair_notices(done: Report) -> list[str]:
    """The notices of an answer about damage that a sync has repaired."""
    if done.rebuilt in (None, SETTINGS_CHANGED):
        return vector_notices(done.damage)
    return [f"index: {rebuilding(done.rebuilt)} and has been rebuilt"]


def vector_notices(why: str | None) -> list[str]:
    return [f"vectors: their files were damaged ({why}) and are written anew"] if why else []
