"""One writer of the campaign on a shared ledger: a process that repeats each write until it is acknowledged.

Arguments: home, name, first, last. Prints the number of each write that was acknowledged.
"""

from __future__ import annotations

import sys
import time

import memoro
from memoro.errors import KeyReused, MemoroError


def main(home: str, name: str, first: int, last: int) -> None:
    with memoro.open(home) as m:
        for number in range(first, last):
            while True:
                try:
                    stored = m.memories.store(f"Fact {number} of {name}.", key=f"{name}-{number}")
                    if number % 5 == 0:
                        m.memories.reinforce(stored.memory.id, key=f"{name}-{number}-again")
                    if number % 7 == 0:
                        m.memories.remove(stored.memory.id, key=f"{name}-{number}-gone")
                    break
                except KeyReused:
                    raise
                except MemoroError as error:
                    print(error, file=sys.stderr, flush=True)
                    time.sleep(0.2)
            print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
