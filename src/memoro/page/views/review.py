"""Review: the proposals that wait, as differences with their evidence."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
