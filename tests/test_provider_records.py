"""What every store of provider records must do. Another store joins by one line in STORES."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from memoro.errors import LedgerTooNew, StoreUnavailable
from memoro.providers.records import (
    ERASED_REASON,
    Agreement,
    BatchJob,
    BreakerState,
    JobState,
    ProviderRecords,
    ServerFacts,
    UsageRow,
    server_name,
)
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.store.sqlite.provider_records import FILE, SqliteProviderRecords
from tests.raw_sqlite import assert_sound_file, set_format

SPACE, OTHER = "openai/text-embedding-3-small/1536/plain", "voyage/voyage-3.5/1024/plain"
ROW = UsageRow(
    "2026-11-16", "openai", "text-embedding-3-small", "index", requests=1, texts=2, tokens_in=10, dollars=0.5
)
AGREED = Agreement("2026-11-16T09:30:00.000Z", 2.0)
JOB = BatchJob(id="memoro-1", space=SPACE, state="submitting", created_at=1.5, texts=3, tokens=30)


def sqlite_records(folder: Path) -> SqliteProviderRecords:
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteProviderRecords(str(folder), engine(str(folder)))


def digest(text: object) -> str:
    return sha256(str(text).encode()).hexdigest()[:32]


ONE, TWO, THREE = map(digest, ("one", "two", "three"))
STORES: dict[str, Callable[[Path], ProviderRecords]] = {
    "memory": lambda _folder: PlainProviderRecords(),
    "sqlite": sqlite_records,
}


@pytest.fixture(params=STORES)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProviderRecords]:
    made = STORES[request.param](tmp_path / "home")
    yield made
    made.close()


def test_a_new_home_has_no_records(records: ProviderRecords):
    assert records.usage() == [] and records.spent("2026-11-16") == 0.0
    assert records.agreement(SPACE) is None and records.suspicion(SPACE) is None
    assert records.facts("s") == ServerFacts() and records.breaker("h") == BreakerState()
    assert records.rejected(SPACE, [ONE]) == {} and records.rejected_count(SPACE) == 0
    assert records.jobs() == [] and records.job_digests("memoro-1") == [] and records.batch_failures("openai") == 0
    assert records.calibration(SPACE) is None and records.lost_at() is None


def test_usage_adds_up_by_day_provider_model_purpose_and_batch(records: ProviderRecords):
    later = ROW._replace(day="2026-11-17", dollars=0.25)
    batch = ROW._replace(is_batch=True)
    cached = ROW._replace(requests=0, texts=0, tokens_in=0, dollars=0.0, cached=9)
    written = ROW._replace(model="a model that writes", tokens_out=5, unpriced=15, dollars=0.0)
    for row in (later, ROW, batch, ROW, cached, written):
        records.count(row)

    both = ROW._replace(requests=2, texts=4, tokens_in=20, dollars=1.0, cached=9)
    assert records.usage() == [written, both, batch, later]
    assert records.usage("2026-11-17") == [later]
    assert records.spent("2026-11-16") == 1.5


def test_counting_for_a_space_spends_its_agreement_and_never_below_zero(records: ProviderRecords):
    records.count(ROW, SPACE)
    assert records.agreement(SPACE) is None
    records.agree(SPACE, AGREED)
    records.agree(OTHER, AGREED._replace(dollars=None))
    records.count(ROW, SPACE)
    records.count(ROW, OTHER)
    records.count(ROW)

    assert records.agreement(SPACE) == AGREED._replace(dollars=1.5)
    assert records.agreement(OTHER) == AGREED._replace(dollars=None)
    records.count(ROW._replace(dollars=9.0), SPACE)
    assert records.agreement(SPACE) == AGREED._replace(dollars=0.0)
    records.agree(SPACE, None)
    assert records.agreement(SPACE) is None


def test_what_a_server_teaches_is_added_to_what_is_known(records: ProviderRecords):
    server = server_name("http://127.0.0.1:8080/", "m")
    records.learn(server, ServerFacts(dimensions=384, is_truncating=False))
    records.learn(server, ServerFacts(most_texts=32, is_truncating=True))

    assert records.facts(server) == ServerFacts(dimensions=384, most_texts=32, is_truncating=True)
    assert records.facts(server_name("http://127.0.0.1:8080", "other")) == ServerFacts()


def test_what_one_server_taught_can_be_forgotten(records: ProviderRecords):
    records.forget_facts("s m")
    for server in ("s m", "s other"):
        records.learn(server, ServerFacts(dimensions=384))
    records.forget_facts("s m")
    assert (records.facts("s m"), records.facts("s other")) == (ServerFacts(), ServerFacts(dimensions=384))


def test_a_breaker_is_kept_for_each_host(records: ProviderRecords):
    opened = BreakerState(failures=2, open_until=12.5, why="It did not answer.")
    records.set_breaker("api.openai.com", opened)

    assert records.breaker("api.openai.com") == opened
    assert records.breaker("api.voyageai.com") == BreakerState()


def test_rejected_texts_are_kept_by_space_and_tried_again_when_told_to(records: ProviderRecords):
    records.reject(SPACE, {ONE: "It is too long.", TWO: "It is empty."})
    records.reject(SPACE, {TWO: "It is blank."})
    records.reject(OTHER, {ONE: "No."})

    assert records.rejected(SPACE, [TWO, THREE]) == {TWO: "It is blank."}
    assert records.rejected(SPACE, [ONE, *(digest(n) for n in range(2000))]) == {ONE: "It is too long."}
    assert records.rejected_count(SPACE) == 2
    records.retry_rejected(SPACE)
    assert (records.rejected_count(SPACE), records.rejected_count(OTHER)) == (0, 1)


def test_a_suspicion_and_a_calibration_are_kept_until_taken_back(records: ProviderRecords):
    records.suspect(SPACE, "Its model has changed.")
    records.put_calibration(SPACE, '{"near": 0.5}')

    assert (records.suspicion(SPACE), records.calibration(SPACE)) == ("Its model has changed.", '{"near": 0.5}')
    records.suspect(SPACE, None)
    records.put_calibration(SPACE, None)
    assert (records.suspicion(SPACE), records.calibration(SPACE)) == (None, None)


def test_a_job_keeps_its_texts_in_order_until_they_are_settled(records: ProviderRecords):
    records.put_job(JOB, [TWO, ONE, THREE])
    newer = JOB._replace(id="memoro-2", created_at=2.0, space=OTHER)
    records.put_job(newer, [ONE])
    submitted = JOB._replace(state="open", remote_id="batch_7", input_file="file-1", polled_at=3.0, why="slow")
    records.put_job(submitted)

    assert records.jobs() == [newer, submitted]
    assert records.jobs(SPACE) == [submitted]
    assert records.job_digests(JOB.id) == [TWO, ONE, THREE]
    records.settle_texts(JOB.id, [ONE, digest("not in it")])
    assert records.job_digests(JOB.id) == [TWO, THREE]
    assert records.job_digests(newer.id) == [ONE]


def test_failures_of_batch_jobs_are_counted_for_each_provider(records: ProviderRecords):
    records.set_batch_failures("openai", 2)

    assert (records.batch_failures("openai"), records.batch_failures("gemini")) == (2, 0)


def test_a_forgotten_text_is_in_no_job_and_no_rejection(records: ProviderRecords):
    records.put_job(JOB, [ONE, TWO])
    records.reject(SPACE, {ONE: "It is too long.", TWO: "It is empty."})
    records.reject(OTHER, {ONE: "No."})
    records.set_breaker("h", BreakerState(failures=1, open_until=2.0, why="It said: one."))
    failed = JOB._replace(id="memoro-2", state="failed")
    records.put_job(failed._replace(why="It said: one."))

    records.forget([ONE, THREE])

    assert records.breaker("h") == BreakerState(failures=1, open_until=2.0, why=ERASED_REASON)
    assert records.jobs() == [JOB, failed._replace(why=ERASED_REASON)]
    assert records.job_digests(JOB.id) == [TWO]
    assert records.rejected(SPACE, [ONE, TWO]) == {TWO: "It is empty."}
    assert records.rejected_count(OTHER) == 0


def test_dropping_a_space_keeps_its_usage_and_its_jobs(records: ProviderRecords):
    for space in (SPACE, OTHER):
        records.agree(space, AGREED)
        records.reject(space, {ONE: "No."})
        records.suspect(space, "changed")
        records.put_calibration(space, "{}")
    records.count(ROW)
    records.put_job(JOB, [ONE])

    records.drop_space(SPACE)

    assert (records.agreement(SPACE), records.suspicion(SPACE), records.calibration(SPACE)) == (None, None, None)
    assert (records.rejected_count(SPACE), records.rejected_count(OTHER)) == (0, 1)
    assert (records.agreement(OTHER), records.suspicion(OTHER), records.calibration(OTHER)) == (
        AGREED,
        "changed",
        "{}",
    )
    assert (records.usage(), records.jobs(), records.job_digests(JOB.id)) == ([ROW], [JOB], [ONE])


# A few of everything, so that calls meet each other.
spaces = st.sampled_from((SPACE, OTHER))
names = st.sampled_from(("openai", "voyage", "host:80"))
some_digests = st.lists(st.sampled_from([digest(n) for n in range(6)]), max_size=4, unique=True)
amounts = st.integers(0, 1000)
dollars = st.floats(0, 10, allow_nan=False)
texts = st.text('aäß漢\n"\\', max_size=8)
flags = st.none() | st.booleans()
numbers = st.none() | amounts
rows = st.builds(
    UsageRow, st.sampled_from(("2026-11-15", "2026-11-16")), names, names, st.sampled_from(("index", "search")),
    st.booleans(), amounts, amounts, amounts, amounts, dollars, amounts, amounts,
)  # fmt: skip
known = st.builds(ServerFacts, numbers, numbers, numbers, st.none() | texts, flags, flags)
job_states: st.SearchStrategy[JobState] = st.sampled_from(("submitting", "open", "done", "failed", "cancelled"))
jobs = st.builds(
    BatchJob, st.sampled_from(("a", "b")), spaces, job_states, st.floats(0, 9), amounts, amounts,
    st.none() | texts, st.none() | texts, st.floats(0, 9), texts,
)  # fmt: skip


class AgainstThePlainRecords(RuleBasedStateMachine):
    """Whatever is done, SQLite answers as the dictionaries do, and still does after it is opened anew."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.plain = PlainProviderRecords()

    @initialize()
    def open(self) -> None:
        self.kept = sqlite_records(Path(self.folder))

    def do(self, change: Callable[[ProviderRecords], None]) -> None:
        change(self.plain)
        change(self.kept)
        assert everything(self.kept) == everything(self.plain)

    @rule()
    def open_anew(self) -> None:
        self.kept.close()
        self.open()
        assert everything(self.kept) == everything(self.plain)

    @rule(row=rows, space=st.none() | spaces)
    def count(self, row: UsageRow, space: str | None) -> None:
        self.do(lambda records: records.count(row, space))

    @rule(space=spaces, given=st.none() | st.builds(Agreement, texts, st.none() | dollars))
    def agree(self, space: str, given: Agreement | None) -> None:
        self.do(lambda records: records.agree(space, given))

    @rule(name=names, facts=known)
    def learn(self, name: str, facts: ServerFacts) -> None:
        self.do(lambda records: records.learn(name, facts))

    @rule(name=names, state=st.builds(BreakerState, amounts, st.floats(0, 9), texts), failures=amounts)
    def break_off(self, name: str, state: BreakerState, failures: int) -> None:
        self.do(lambda records: records.set_breaker(name, state))
        self.do(lambda records: records.set_batch_failures(name, failures))

    @rule(space=spaces, digests=some_digests, why=texts)
    def reject(self, space: str, digests: list[str], why: str) -> None:
        self.do(lambda records: records.reject(space, dict.fromkeys(digests, why)))

    @rule(space=spaces, value=st.none() | texts)
    def note(self, space: str, value: str | None) -> None:
        self.do(lambda records: records.suspect(space, value))
        self.do(lambda records: records.put_calibration(space, value))
        self.do(lambda records: records.put_begun_calibration(space, value))

    @rule(job=jobs, digests=st.none() | some_digests)
    def put_job(self, job: BatchJob, digests: list[str] | None) -> None:
        self.do(lambda records: records.put_job(job, digests))

    @rule(job=st.sampled_from(("a", "b", "c")), digests=some_digests)
    def settle(self, job: str, digests: list[str]) -> None:
        self.do(lambda records: records.settle_texts(job, digests))

    @rule(digests=some_digests)
    def forget(self, digests: list[str]) -> None:
        self.do(lambda records: records.forget(digests))

    @rule(space=spaces)
    def retry(self, space: str) -> None:
        self.do(lambda records: records.retry_rejected(space))

    @rule(space=spaces)
    def drop(self, space: str) -> None:
        self.do(lambda records: records.drop_space(space))

    def teardown(self) -> None:
        self.kept.close()
        shutil.rmtree(self.folder)


def everything(records: ProviderRecords) -> list[object]:
    """Everything that the rules above may have changed."""
    every = [digest(n) for n in range(6)]
    by_space = [
        (
            records.agreement(space),
            records.rejected(space, every),
            records.rejected_count(space),
            records.suspicion(space),
            records.calibration(space),
            records.begun_calibration(space),
            records.jobs(space),
        )
        for space in (SPACE, OTHER)
    ]
    by_name = [
        (records.facts(one), records.breaker(one), records.batch_failures(one))
        for one in ("openai", "voyage", "host:80")
    ]
    usage = (records.usage(), records.usage("2026-11-16"), records.spent("2026-11-15"))
    return [by_space, by_name, usage, records.jobs(), [records.job_digests(job) for job in "abc"]]


def test_the_file_answers_as_the_plain_records_do():
    few = settings(
        max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    run_state_machine_as_test(AgainstThePlainRecords, settings=few)


def test_everything_survives_closing_and_is_for_its_owner_alone(tmp_path: Path):
    home = SqliteIndexHome(str(tmp_path), engine(str(tmp_path)))
    home.records().count(ROW)
    home.records().put_job(JOB, [ONE])
    mode = stat.S_IMODE((tmp_path / FILE).stat().st_mode)
    home.close()

    again = SqliteIndexHome(str(tmp_path), engine(str(tmp_path)))
    assert (again.records().usage(), again.records().job_digests(JOB.id)) == ([ROW], [ONE])
    assert mode == 0o600
    again.close()


def test_reading_makes_no_file_and_neither_does_deleting(tmp_path: Path):
    records = sqlite_records(tmp_path)
    records.usage(), records.breaker("h"), records.jobs()
    records.forget([ONE])
    records.drop_space(SPACE)
    records.retry_rejected(SPACE)
    records.close()

    assert list(tmp_path.iterdir()) == []


def test_forgotten_digests_and_reasons_are_in_no_byte_of_the_home(tmp_path: Path):
    records = sqlite_records(tmp_path)
    records.put_job(JOB, [digest(n) for n in range(500)])
    records.reject(SPACE, {digest(7): "It holds pelargonium."})
    records.set_breaker("h", BreakerState(why="Not this: pelargonium."))
    records.put_job(JOB._replace(state="failed", why="Not this: pelargonium."))

    records.forget([digest(7)])

    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert b"pelargonium" not in data and bytes.fromhex(digest(7)) not in data, file.name
    assert len(records.job_digests(JOB.id)) == 499
    records.close()


def test_a_damaged_file_is_set_aside_and_its_loss_is_told(tmp_path: Path):
    records = sqlite_records(tmp_path)
    records.reject(SPACE, {digest(number): "a reason that fills some pages of the file" for number in range(2000)})
    records.close()
    file = tmp_path / FILE
    before = file.read_bytes()
    file.write_bytes(before[:5000] + bytes(byte ^ 0x55 for byte in before[5000:60000]) + before[60000:])

    records = sqlite_records(tmp_path)
    assert records.rejected(SPACE, [digest(n) for n in range(2000)]) == {}
    assert records.lost_at() is not None
    records.count(ROW)
    records.close()

    assert (tmp_path / "providers.damaged").exists()
    again = sqlite_records(tmp_path)
    assert again.usage() == [ROW] and again.lost_at() is not None
    again.forget([ONE])
    assert not (tmp_path / "providers.damaged").exists()
    again.close()


def test_an_emptied_file_is_begun_anew_by_a_write(tmp_path: Path):
    (tmp_path / FILE).write_bytes(b"")
    records = sqlite_records(tmp_path)

    records.count(ROW)

    assert records.usage() == [ROW] and records.lost_at() is not None
    records.close()


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path):
    records = sqlite_records(tmp_path)
    records.count(ROW)
    records.close()
    set_format(tmp_path / FILE, 99)

    records = sqlite_records(tmp_path)
    with pytest.raises(LedgerTooNew, match="format 99"):
        records.usage()
    with pytest.raises(LedgerTooNew):
        records.count(ROW)
    records.close()


@pytest.mark.parametrize("state", ["missing", "there", "damaged"])
def test_a_home_that_can_only_be_read_answers_and_says_why_it_writes_nothing(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if state != "missing":
        records = sqlite_records(tmp_path)
        records.count(ROW)
        records.close()
    if state == "damaged":
        (tmp_path / FILE).write_bytes(b"no database" * 1000)
    monkeypatch.setattr(os, "access", lambda *_: False)

    records = sqlite_records(tmp_path)

    assert records.usage() == ([ROW] if state == "there" else [])
    for write in (lambda: records.count(ROW), lambda: records.put_job(JOB, [ONE])):
        with pytest.raises(StoreUnavailable, match=r"can only be read\. Make the folder writable"):
            write()
    records.close()
    assert not (tmp_path / "providers.damaged").exists()


_OPENED = """
import sys
from memoro.providers.records import BatchJob, UsageRow
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.provider_records import SqliteProviderRecords
records = SqliteProviderRecords(sys.argv[1], engine(sys.argv[1]))
"""
_COUNTS = """
for number in range(40):
    records.count(UsageRow("2026-11-16", "openai", "m", "index", requests=1, dollars=0.25), "a space")
    records.settle_texts("a job", ["%032x" % (number * 2 + int(sys.argv[2]))])
"""
_SUBMITS = """
number = 0
while True:
    number += 1
    job = BatchJob(f"{sys.argv[2]}-{number}", "a space", "submitting", created_at=0.0, texts=3, tokens=3)
    records.put_job(job, ["%032x" % (number + n) for n in range(3)])
    records.put_job(job._replace(state="open", remote_id=f"remote-{number}"))
    print(number, flush=True)
"""


def started(program: str, folder: Path, argument: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _OPENED + program, str(folder), str(argument)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.process
def test_two_processes_count_at_once_and_nothing_is_lost(tmp_path: Path):
    records = sqlite_records(tmp_path)
    records.agree("a space", Agreement("2026-11-16T09:30:00.000Z", 30.0))
    records.put_job(JOB._replace(id="a job"), [f"{number:032x}" for number in range(81)])

    with started(_COUNTS, tmp_path, 0) as one, started(_COUNTS, tmp_path, 1) as other:
        assert (one.wait(), other.wait()) == (0, 0)

    assert [(row.requests, row.dollars) for row in records.usage()] == [(80, 20.0)]
    assert records.agreement("a space") == Agreement("2026-11-16T09:30:00.000Z", 10.0)
    assert records.job_digests("a job") == [f"{80:032x}"]
    records.close()


@pytest.mark.process
def test_a_killed_process_loses_no_job_that_it_has_put_on_record(tmp_path: Path):
    for round_number in range(3):
        with started(_SUBMITS, tmp_path, round_number) as process:
            assert process.stdout is not None
            told = [int(process.stdout.readline()) for _ in range(4 + 3 * round_number)]
            process.send_signal(signal.SIGKILL)
            told += [int(line) for line in process.stdout.read().split()]

        records = sqlite_records(tmp_path)
        jobs = {job.id: job for job in records.jobs()}
        for number in told:
            job = jobs[f"{round_number}-{number}"]
            assert (job.state, job.remote_id) == ("open", f"remote-{number}")
            assert records.job_digests(job.id) == [f"{number + n:032x}" for n in range(3)]
        for job in jobs.values():  # the last one may be half way, and has its texts
            assert len(records.job_digests(job.id)) == 3
        assert records.lost_at() is None
        records.close()
    assert_sound_file(tmp_path / FILE)
