"""What a home without files keeps about its providers, while the process runs."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from math import fsum

from memoro.providers.records import (
    ENDED,
    ERASED_REASON,
    Agreement,
    BatchJob,
    BreakerState,
    ServerFacts,
    UsageRow,
)


class PlainProviderRecords:
    """The oracle of the contract suite: plain dictionaries behind one lock."""

    def __init__(self) -> None:
        self._alone = threading.RLock()
        self._usage: dict[tuple[str, str, str, str, bool], UsageRow] = {}
        self._agreements: dict[str, Agreement] = {}
        self._facts: dict[str, ServerFacts] = {}
        self._breakers: dict[str, BreakerState] = {}
        self._rejected: dict[str, dict[str, str]] = {}
        self._suspicions: dict[str, str] = {}
        self._jobs: dict[str, BatchJob] = {}
        self._texts: dict[str, list[str]] = {}
        self._failures: dict[str, int] = {}
        self._calibrations: dict[str, str] = {}
        self._begun_calibrations: dict[str, str] = {}

    def count(self, row: UsageRow, space: str | None = None) -> None:
        key = row[:5]
        with self._alone:
            before = self._usage.get(key, UsageRow(*key))
            sums = (old + new for old, new in zip(before[5:], row[5:], strict=True))
            self._usage[key] = UsageRow(*key, *sums)  # type: ignore[arg-type]
            found = self._agreements.get(space or "")
            if space is not None and found is not None and found.dollars is not None:
                self._agreements[space] = found._replace(dollars=max(0.0, found.dollars - row.dollars))

    def usage(self, since: str = "") -> list[UsageRow]:
        with self._alone:
            return [self._usage[key] for key in sorted(self._usage) if key[0] >= since]

    def spent(self, day: str) -> float:
        return fsum(row.dollars for row in self.usage(day) if row.day == day)

    def agreement(self, space: str) -> Agreement | None:
        return self._agreements.get(space)

    def agree(self, space: str, agreement: Agreement | None) -> None:
        with self._alone:
            if agreement is None:
                self._agreements.pop(space, None)
            else:
                self._agreements[space] = agreement

    def facts(self, server: str) -> ServerFacts:
        return self._facts.get(server, ServerFacts())

    def learn(self, server: str, facts: ServerFacts) -> None:
        with self._alone:
            known = {name: value for name, value in facts._asdict().items() if value is not None}
            self._facts[server] = self.facts(server)._replace(**known)

    def forget_facts(self, server: str) -> None:
        with self._alone:
            self._facts.pop(server, None)

    def breaker(self, host: str) -> BreakerState:
        return self._breakers.get(host, BreakerState())

    def set_breaker(self, host: str, state: BreakerState) -> None:
        self._breakers[host] = state

    def rejected(self, space: str, digests: Sequence[str]) -> dict[str, str]:
        with self._alone:
            known = self._rejected.get(space, {})
            return {one: known[one] for one in digests if one in known}

    def reject(self, space: str, reasons: Mapping[str, str]) -> None:
        with self._alone:
            self._rejected.setdefault(space, {}).update(reasons)

    def rejected_count(self, space: str) -> int:
        return len(self._rejected.get(space, {}))

    def retry_rejected(self, space: str) -> None:
        with self._alone:
            self._rejected.pop(space, None)

    def suspicion(self, space: str) -> str | None:
        return self._suspicions.get(space)

    def suspect(self, space: str, why: str | None) -> None:
        with self._alone:
            if why is None:
                self._suspicions.pop(space, None)
            else:
                self._suspicions[space] = why

    def jobs(self, space: str | None = None) -> list[BatchJob]:
        with self._alone:
            found = [job for job in self._jobs.values() if space in (None, job.space)]
        return sorted(found, key=lambda job: (-job.created_at, job.id))

    def put_job(self, job: BatchJob, digests: Sequence[str] | None = None) -> None:
        with self._alone:
            self._jobs[job.id] = job
            if digests is not None:
                self._texts[job.id] = list(digests)

    def job_digests(self, job: str) -> list[str]:
        with self._alone:
            return list(self._texts.get(job, []))

    def settle_texts(self, job: str, digests: Sequence[str]) -> None:
        with self._alone:
            gone = set(digests)
            self._texts[job] = [one for one in self._texts.get(job, []) if one not in gone]

    def batch_failures(self, provider: str) -> int:
        return self._failures.get(provider, 0)

    def set_batch_failures(self, provider: str, failures: int) -> None:
        self._failures[provider] = failures

    def calibration(self, space: str) -> str | None:
        return self._calibrations.get(space)

    def put_calibration(self, space: str, document: str | None) -> None:
        self._put(self._calibrations, space, document)

    def begun_calibration(self, space: str) -> str | None:
        return self._begun_calibrations.get(space)

    def put_begun_calibration(self, space: str, document: str | None) -> None:
        self._put(self._begun_calibrations, space, document)

    def _put(self, kept: dict[str, str], space: str, text: str | None) -> None:
        with self._alone:
            if text is None:
                kept.pop(space, None)
            else:
                kept[space] = text

    def forget(self, digests: Sequence[str]) -> None:
        if not digests:
            return
        with self._alone:
            gone = set(digests)
            self._begun_calibrations.clear()
            for job, texts in self._texts.items():
                self._texts[job] = [one for one in texts if one not in gone]
            for reasons in self._rejected.values():
                for one in gone & reasons.keys():
                    del reasons[one]
            for host, state in self._breakers.items():
                if state.why:
                    self._breakers[host] = state._replace(why=ERASED_REASON)
            for name, ended in self._jobs.items():
                if ended.why and ended.state in ENDED:
                    self._jobs[name] = ended._replace(why=ERASED_REASON)

    def drop_space(self, space: str) -> None:
        with self._alone:
            for kept in (
                self._rejected,
                self._suspicions,
                self._calibrations,
                self._begun_calibrations,
                self._agreements,
            ):
                kept.pop(space, None)

    def lost_at(self) -> str | None:
        return None

    def close(self) -> None:
        """There is nothing to close."""
