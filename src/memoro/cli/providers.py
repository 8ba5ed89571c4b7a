"""The views of `memoro provider …`."""

from __future__ import annotations

from memoro.cli import batch_jobs

VIEWS = {**batch_jobs.VIEWS}
