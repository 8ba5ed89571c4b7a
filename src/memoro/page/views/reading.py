"""A note, a conversation or a memory, opened at the place that was found, with its neighbours."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
