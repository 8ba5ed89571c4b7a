"""Homes that share one ledger, each of a node of its own."""

from __future__ import annotations

from pathlib import Path

from tests.breakable_postgres import BreakableServer


class Team:
    def __init__(self, server: BreakableServer, folder: Path) -> None:
        self.server, self.tenant, self._folder = server, server.new_tenant(), folder

    def home(self, name: str, url: str | None = None, *, outbox: bool = False, embeds: bool = True) -> Path:
        """The home of a node, made where it is missing. One that embeds nothing writes faster."""
        home = self._folder / name
        home.mkdir(exist_ok=True)
        chosen = {"url": url or self.server.url, "tenant": self.tenant, "person": "mia"}
        lines = [f'{key} = "{value}"' for key, value in chosen.items()]
        lines += ["outbox = true"] if outbox else []
        lines += [] if embeds else ["[embedding]", "enabled = false"]
        (home / "memoro.toml").write_text("\n".join(["[ledger]", *lines, ""]), encoding="utf-8")
        return home
