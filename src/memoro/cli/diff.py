"""Shows people the difference of two texts: lines that went and lines that came."""

from __future__ import annotations

from collections.abc import Iterator

from memoro.cli.show import printable


def difference(before: str | None, after: str | None, context: int = 1) -> Iterator[str]:
    """Yield the lines that went, after `-`, those that came, after `+`, and `context` lines around them."""
    old, new = (before or "").splitlines(), (after or "").splitlines()
    if before is None or after is None:
        yield from (f"- {printable(line)}" for line in old)
        yield from (f"+ {printable(line)}" for line in new)
        return
    import difflib

    for line in list(difflib.unified_diff(old, new, lineterm="", n=context))[3:]:  # without the two file names
        yield "…" if line.startswith("@@") else f"{line[0]} {printable(line[1:])}".rstrip()
