"""Today: what each agent was given and why, what waits, and where we left off."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
