"""Notes that say of themselves that they do not hold any more."""

from __future__ import annotations

import pytest

from memoro.vault.markdown import parse


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("---\nstatus: superseded\n---\n# A\n", ""),
        ("---\nstatus: Superseded by [[New plan]]\n---\n# A\n", "New plan"),
        ("---\nsuperseded_by: [[New plan]]\n---\n# A\n", "New plan"),
        ('---\nsuperseded_by: "[[plans/New|the new one]]"\n---\n# A\n', "plans/New"),
        ("---\nreplaced-by: plans/new.md\n---\n# A\n", "plans/new.md"),
        ("---\ndeprecated: true\n---\n# A\n", ""),
        ("# A\n\nStatus: deprecated\n", ""),
        ("# A\n\n**Status:** superseded by [ADR 12](0012-queue.md)\n", "0012-queue.md"),
        ("# 7. Use Redis\n\n## Status\n\nSuperseded by [12. Use NATS](0012-use-nats.md)\n", "0012-use-nats.md"),
        ("# [DEPRECATED] Deploying by hand\n", ""),
        ("# Deploying by hand (veraltet)\n", ""),
        ("# ~~Deploying by hand~~\n", ""),
        ("---\nstatus: veraltet\n---\n# A\n", ""),
    ],
)
def test_a_note_that_says_so_is_superseded(text, by):
    assert parse(text, "a.md").note.superseded == by


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: accepted\n---\n# A\n",
        "---\ndeprecated: false\n---\n# A\n",
        "---\nsuperseded_by:\n---\n# A\n",
        "# A\n\n## Status\n\nAccepted. It supersedes [4](0004.md).\n",
        "# A\n\nThe status page was deprecated by nobody.\n",
        "# How superseded notes work\n",
    ],
)
def test_a_note_that_holds_is_not(text):
    assert parse(text, "a.md").note.superseded is None
