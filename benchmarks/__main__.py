"""`python -m benchmarks [NAME …]` or `NAME OPTIONS`: run benchmarks and print their tables."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    "cold",
    "indexing",
    "frequent",
    "growth",
    "spaces",
    "faults",
    "language",
    "labelled",
    "models",
    "packing",
    "recalling",
    "paraphrase",
    "rewording",
    "kinds",
    "attributes",
    "rules",
    "tasks",
    "abstention",
    "noise",
    "compaction",
    "sessions",
    "extraction",
    "ledger",
    "lists",
    "logs",
    "serve",
    "soak",
    "connections",
    "http",
    "hooks",
    "mcp",
    "structure",
    "answers",
    "year",
    "curation",
    "days",
    "tidying",
    "page",
    "peers",
    "shared",
    "tenants",
    "views",
)


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all. What follows the first option belongs to the benchmark before it."""
    first_option = next((place for place, one in enumerate(arguments) if one.startswith("-")), len(arguments))
    chosen, options = arguments[:first_option], arguments[first_option:]
    if options and len(chosen) != 1:
        print("Options belong to one benchmark: python -m benchmarks NAME OPTIONS.", file=sys.stderr)
        return 2
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; choose from {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    for name in chosen or NAMES:
        module = import_module(f"benchmarks.{name}")
        print(f"\n## {(module.__doc__ or name).splitlines()[0]}\n", flush=True)
        module.run(options) if options else module.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
