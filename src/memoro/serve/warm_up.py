"""Loads ahead of time what the answer to a prompt needs, so that the first one waits no longer than the next."""

from __future__ import annotations

import gc
import math
import threading
import time
from collections.abc import Iterator, Sequence

from memoro.errors import MemoroError
from memoro.hooks.answers import records_of
from memoro.model.notes import FileEntry
from memoro.recall.request import RecallRequest
from memoro.serve.services import ServiceContext
from memoro.workspace import Workspace

# Of every shape, so that each compiles the patterns that it needs.
_MESSAGES = (
    "What did we decide about the release last week?",
    "Why does Anna's build fail here, and what did I tell you about it?",
    "Please add a settings page.",
    "Was haben wir gestern über Berlin beschlossen?",
)
_NO_SESSION = "no session has this name"
_INDEX_SECONDS, _LOOK_SECONDS = 600.0, 0.5
_ABOUT_KNOWN, _BEGINNING = 3, 120
_FILES = 2000  # that changed last: about these a prompt is most likely
_PASSAGES = 10_000
_AT_ONCE = 50  # texts whose words are learned while a prompt may wait for the model


def warm_up(context: ServiceContext) -> None:
    """Load the code, the index and the model, and the words of recent texts into it, unless the service must stop."""
    try:
        _load(context)
    except MemoroError:
        pass  # the first prompt meets it again, and its answer says so
    except Exception as error:  # hooks are answered all the same, only later
        # An error of the system may name a file of the program, which tells its owner nothing.
        why = isinstance(error, OSError) and error.strerror
        context.reports.notice(f"hooks: the first prompt will be slow ({why or f'{type(error).__name__}: {error}'})")
    gc.collect()
    gc.freeze()  # what is loaded stays: to look through it for garbage would make a prompt wait now and then


def _load(context: ServiceContext) -> None:
    if not context.workspace.settings.enabled or not _wait_for_index(context):
        return
    with _alone(context.workspace) as workspace:
        _answer(workspace, context.stop)
        settings = workspace.settings
        if settings.embedding.enabled and settings.query.mode != "words":
            _load_model(context.workspace)
            _learn_words(workspace, context.stop)


def _alone(workspace: Workspace) -> Workspace:
    """Open the same home to read from its index as it is, with the built-in model.

    To sync, and to say so, is the work of another service. Nobody has asked anything yet, and the texts of notes, of
    which some are private, are no questions: no other model gets them.
    """
    home, settings = workspace.home_context, workspace.settings
    own = settings._replace(
        sync=settings.sync._replace(on_search=False), embedding=settings.embedding._replace(provider="builtin")
    )
    return Workspace(home._replace(settings=own, runtime=home.runtime._replace(embedder=None)))


def _answer(workspace: Workspace, stop: threading.Event) -> None:
    if workspace.has_ledger():
        records_of(workspace.sessions, _NO_SESSION)
    for message in (*_MESSAGES, *_beginnings(workspace)):
        if stop.is_set():
            return
        workspace.recaller.recall(RecallRequest(message, proactive=True, is_preview=True))


def _wait_for_index(context: ServiceContext) -> bool:
    """Return whether there is an index; the first sync of a large vault takes a while."""
    until = time.monotonic() + _INDEX_SECONDS
    while not context.workspace.has_index():
        if time.monotonic() > until or context.stop.wait(_LOOK_SECONDS):
            return False
    return True


def _beginnings(workspace: Workspace) -> list[str]:
    """Return messages about what is known, so that something is packed, filtered and fenced."""
    return [text[:_BEGINNING] for text in next(_recent_texts(workspace), [])[:_ABOUT_KNOWN]]


def _load_model(workspace: Workspace) -> None:
    """Load a model of this machine that is not loaded yet: no prompt waits for that, so that none would begin it.

    Of a model elsewhere only the libraries are loaded: nothing is sent to it.
    """
    from memoro.providers.ports import info_of
    from memoro.providers.wrapping import prepare

    wanted = workspace.home_context.embedders(workspace.indexing.indexes.records).wanted
    prepare(wanted)
    if info_of(wanted).load_seconds:
        wanted.embed(["release"], "query")


def _learn_words(workspace: Workspace, stop: threading.Event) -> None:
    from memoro.providers.builtin.model import builtin

    for texts in _recent_texts(workspace):
        if stop.is_set():
            return
        builtin().nearest(["release"], texts)


def _recent_texts(workspace: Workspace) -> Iterator[list[str]]:
    files = workspace.indexing.read(lambda index: index.files())
    recent = sorted(files, key=lambda path: _changed_at(files[path]), reverse=True)[:_FILES]
    chunks = workspace.indexing.read(lambda index: index.chunks_of(recent))[-_PASSAGES:]
    for start in range(0, len(chunks), _AT_ONCE):
        yield _texts(workspace, chunks[start : start + _AT_ONCE])


def _texts(workspace: Workspace, chunks: Sequence[int]) -> list[str]:
    return workspace.indexing.read(lambda index: [one.passage.text for one in index.look_up(chunks, [])])


def _changed_at(entry: FileEntry) -> float:
    return entry.stamp.mtime_ns if entry.stamp else math.inf  # too young for a stamp
