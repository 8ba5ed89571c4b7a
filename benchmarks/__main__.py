"""`python -m benchmarks [NAME …]`: run benchmarks and print their tables."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    "cold",
    "indexing",
    "frequent",
    "growth",
    "spaces",
    "labelled",
    "packing",
    "recalling",
    "paraphrase",
    "kinds",
    "attributes",
    "rules",
    "abstention",
    "noise",
    "compaction",
    "sessions",
    "ledger",
    "logs",
    "serve",
    "connections",
    "hooks",
    "mcp",
    "structure",
    "year",
)


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; choose from {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    for name in chosen or NAMES:
        module = import_module(f"benchmarks.{name}")
        print(f"\n## {(module.__doc__ or name).splitlines()[0]}\n", flush=True)
        module.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
