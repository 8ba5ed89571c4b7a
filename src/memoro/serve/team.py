"""The parts of a server that serves a team: whose each token is, the seats of people, and threads for them."""

from __future__ import annotations

import threading
import time
from functools import partial

from memoro.serve.metrics import Gauge
from memoro.serve.seat_threads import SeatThreads
from memoro.serve.seat_workspaces import SeatWorkspaces
from memoro.serve.team_tokens import TeamTokens
from memoro.store.opening import SharedLedger, check_server, find_token_holder
from memoro.workspace import Workspace

_LOOK_SECONDS = 30.0  # between two looks for workspaces that nobody uses
_REMOVE_SECONDS = 3600.0  # between two looks for files of seats that nobody uses


class Team:
    def __init__(self, home: str, shared: SharedLedger) -> None:
        self._shared = shared
        self.tokens = TeamTokens(partial(find_token_holder, shared))
        self.seats = SeatWorkspaces(home)
        self.threads = SeatThreads()

    @staticmethod
    def of(workspace: Workspace) -> Team | None:
        """The team of a home whose ledger is shared; None for any other."""
        shared = workspace.home_context.shared_ledger()
        return Team(workspace.home, shared) if shared is not None else None

    def check_server(self) -> None:
        """Raise StoreError where the ledger's server does not answer."""
        check_server(self._shared)

    def begin_upkeep(self, stop: threading.Event) -> None:
        """Close and remove what nobody uses, until `stop` is set."""
        threading.Thread(target=self._keep_up, args=(stop,), name="seats", daemon=True).start()

    def _keep_up(self, stop: threading.Event) -> None:
        removed_at = float("-inf")
        while not stop.wait(_LOOK_SECONDS):
            self.seats.close_idle()
            if time.monotonic() >= removed_at + _REMOVE_SECONDS:
                self.seats.remove_unused()
                removed_at = time.monotonic()

    def gauges(self) -> list[Gauge]:
        """What is measured of a team when somebody asks for the metrics."""
        return [
            Gauge("memoro_seats_open", "Seats with an open local copy.", self.seats.count),
            Gauge("memoro_copy_age_seconds", "Age of the oldest open local copy.", self._copy_age),
            Gauge("memoro_token_look_ups_total", "Tokens asked of the server.", lambda: self.tokens.look_ups),
        ]

    def _copy_age(self) -> float | None:
        known = [at for one in self.seats.workspaces() if (at := one.ledger_copied_at()) is not None]
        return round(max(0.0, time.time() - min(known)), 3) if known else None

    def close(self) -> None:
        self.threads.close()
        self.seats.close()
