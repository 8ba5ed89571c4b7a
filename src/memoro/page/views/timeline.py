"""Timeline: days with their sessions, notes and changes; and the log, with undo."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
