"""The service that answers hooks at the socket in the home."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from memoro.hooks.action import ActionWarnings
from memoro.model.system_errors import reason
from memoro.serve.hook_connections import HookConnections
from memoro.serve.hook_requests import HookAnswers
from memoro.serve.services import ServiceContext
from memoro.serve.warm_up import warm_up
from memoro.store import hook_socket
from memoro.store.serving import ANSWERED


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
        warming = threading.Thread(target=warm_up, args=(context,), name="hook warm-up", daemon=True)
        warming.start()
        try:
            context.reports.hooks(ANSWERED)
            HookConnections(answers, context).run(listener)
        finally:
            hook_socket.remove(home)
            listener.close()
            context.reports.hooks("no")
            answers.close()
            warming.join()
