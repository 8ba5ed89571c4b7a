"""The errors that every ledger raises for what it does not hold, in the same words."""

from __future__ import annotations

from memoro.errors import MemoryNotFound, NotFound


def no_memory(number: int) -> MemoryNotFound:
    return MemoryNotFound(f"There is no memory [id:{number}]. `memoro memory list` lists all.")


def no_experience(number: int) -> NotFound:
    return NotFound(f"There is no experience:{number}. `memoro experience list` lists all.")


def no_narrative(number: int) -> NotFound:
    return NotFound(f"There is no narrative {number}. `memoro narrative search` shows the latest.")


def no_change(number: int) -> NotFound:
    return NotFound(f"There is no change {number}. `memoro log` lists them.")


def no_proposal(number: int) -> NotFound:
    return NotFound(f"There is no proposal {number}. `memoro proposals` lists them.")
