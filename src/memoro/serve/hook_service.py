"""The service that answers hooks at the socket in the home."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from memoro.errors import MemoroError
from memoro.hooks.action import ActionWarnings
from memoro.model.system_errors import reason
from memoro.recall.request import RecallRequest
from memoro.serve.hook_connections import HookConnections
from memoro.serve.hook_requests import HookAnswers
from memoro.serve.services import ServiceContext
from memoro.store import hook_socket

_ANY_QUESTION = "What did we decide about the release?"  # loads all that the answer to a prompt needs


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
            context.reports.hooks("answered")
            HookConnections(answers, context).run(listener)
        finally:
            hook_socket.remove(home)
            listener.close()
            context.reports.hooks("no")
            answers.close()


def _warm_up(context: ServiceContext) -> None:
    """Load the model, the index and the code, so that the first prompt waits no longer than the next."""
    try:
        workspace = context.workspace
        if workspace.settings.enabled and workspace.has_index():
            workspace.recaller.recall(RecallRequest(_ANY_QUESTION, proactive=True))
    except MemoroError:  # the first prompt meets it again, and its answer says so
        pass
