"""Settings: each with its value, its default, where the value comes from, and what it means."""

from __future__ import annotations

from memoro.operations.operation import NoArguments
from memoro.operations.settings import SHOW
from memoro.page.view import PageRequest, Shown, View


def settings(request: PageRequest) -> Shown:
    found = request.call(SHOW, NoArguments())
    return Shown("settings.html", {"settings": found.settings})


VIEWS = (View("/settings", settings, menu="settings"),)
