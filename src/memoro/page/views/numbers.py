"""Numbers: what is indexed, how it grows, what recall gave, what models cost, and what is degraded."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
