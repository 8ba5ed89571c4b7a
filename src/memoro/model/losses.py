"""How many entries of a file automatic proposals may take out."""

from __future__ import annotations

LOSS = 4  # one entry of so many may go
FEW = 3  # so many may go of a small file too
LOSS_DAYS = 7  # within so many days


def most_lost(entries: int) -> int:
    """Return how many of a file's entries may go within `LOSS_DAYS`."""
    return max(FEW, entries // LOSS)
