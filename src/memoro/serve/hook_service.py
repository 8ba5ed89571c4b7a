"""The service that answers hooks at the socket in the home."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping

from memoro.errors import MemoroError
from memoro.hooks.action import ActionWarnings
from memoro.model.notes import FileEntry
from memoro.model.system_errors import reason
from memoro.recall.request import RecallRequest
from memoro.serve.hook_connections import HookConnections
from memoro.serve.hook_requests import HookAnswers
from memoro.serve.services import ServiceContext
from memoro.store import hook_socket
from memoro.store.serving import ANSWERED
from memoro.workspace import Workspace

_ANY_QUESTION = "What did we decide about the release?"  # loads all that the answer to a prompt needs
_RECENT = 12


class HookSocketService:
    name = "hook socket"

    def __init__(self, environment: Mapping[str, str], actions: ActionWarnings | None = None) -> None:
        """`environment` is that of this process."""
        self._environment = environment
        self._actions = actions

    def run(self, context: ServiceContext) -> None:
        home = context.workspace.home
        try:
            listener = hook_socket.listen(home)
        except OSError as error:  # such as a file system without sockets
            context.reports.hooks(f"no, {reason(error)}")
            context.reports.notice(f"hooks: no socket can be made in {home} ({reason(error)}); hooks do without")
            return
        answers = HookAnswers(home, self._environment, self._actions)
        try:
            threading.Thread(target=_warm_up, args=(context,), name="hook warm-up", daemon=True).start()
            context.reports.hooks(ANSWERED)
            HookConnections(answers, context).run(listener)
        finally:
            hook_socket.remove(home)
            listener.close()
            context.reports.hooks("no")
            answers.close()


def _warm_up(context: ServiceContext) -> None:
    """Load the model, the index, the code and the words of recent notes: the first prompt then waits for none."""
    workspace = context.workspace
    try:
        if not workspace.settings.enabled or not workspace.has_index():
            return
        for question in (_ANY_QUESTION, *_recent_names(workspace)):
            if context.stop.is_set():
                return
            workspace.recaller.recall(RecallRequest(question, proactive=True))
    except MemoroError:  # the first prompt meets it again, and its answer says so
        pass


def _recent_names(workspace: Workspace) -> list[str]:
    """Return the names of the notes that changed last: about these a prompt is most likely."""
    files = workspace.indexing.read(lambda index: index.files())
    recent = sorted(files, key=lambda path: _changed_at(files[path]), reverse=True)[:_RECENT]
    return [os.path.splitext(os.path.basename(path))[0] for path in recent]


def _changed_at(entry: FileEntry) -> float:
    return entry.stamp.mtime_ns if entry.stamp else math.inf  # too young for a stamp
