"""Threads for the requests of seats, shared so that no seat and no tenant takes them all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

OF_ONE_SEAT = 4  # its reads take turns anyway; a slow first build leaves the others of its tenant alone
OF_ONE_TENANT = 12
IN_ALL = 96

T = TypeVar("T")


class SeatThreads:
    """Runs the work of each seat on a few threads. Work beyond that waits, in the order in which it came."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(IN_ALL, thread_name_prefix="seat")
        self._slots: dict[Hashable, asyncio.Semaphore] = {}
        self._users: Counter[Hashable] = Counter()

    async def run(self, tenant: str, person: str, work: Callable[[], T]) -> T:
        """Return what the work returns. A cancelled caller keeps its place until the work has ended."""
        keys: list[tuple[Hashable, int]] = [
            ((tenant, person), OF_ONE_SEAT), (tenant, OF_ONE_TENANT), ("", IN_ALL),
        ]  # fmt: skip
        taken: list[Hashable] = []
        try:
            for key, most in keys:
                await self._take(key, most)
                taken.append(key)
        except BaseException:
            self._give_back(taken)
            raise
        running = asyncio.get_running_loop().run_in_executor(self._pool, work)
        running.add_done_callback(lambda done: self._end(done, taken))
        return await asyncio.shield(running)

    def close(self) -> None:
        """Without waiting: a request that was given up may still run."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _take(self, key: Hashable, most: int) -> None:
        slots = self._slots.setdefault(key, asyncio.Semaphore(most))
        self._users[key] += 1
        try:
            await slots.acquire()
        except BaseException:
            self._forget_if_unused(key)
            raise

    def _end(self, done: asyncio.Future[T], taken: list[Hashable]) -> None:
        if not done.cancelled():
            done.exception()  # of a caller that was cancelled nobody asks for it
        self._give_back(taken)

    def _give_back(self, taken: list[Hashable]) -> None:
        for key in taken:
            self._slots[key].release()
            self._forget_if_unused(key)

    def _forget_if_unused(self, key: Hashable) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key], self._slots[key]
