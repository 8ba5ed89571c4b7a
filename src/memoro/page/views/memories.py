"""Memories: the list, one with its history and its links, and every change to them."""

from __future__ import annotations

from memoro.page.view import Views

VIEWS: Views = ()
