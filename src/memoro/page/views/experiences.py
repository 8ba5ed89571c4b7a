"""Experiences: the list, and one with its history."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
