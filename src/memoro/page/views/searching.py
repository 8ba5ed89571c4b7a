"""Search as you type, with filters and the parts of each score."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
