"""The seats of a team's server: which tokens are remembered, and which workspaces and files are kept."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memoro.errors import ConfigError, LedgerUnreachable
from memoro.model.token_holder import TokenHolder
from memoro.serve import seat_workspaces, team_tokens
from memoro.serve.limits import IN_FLIGHT, TENANT_IN_FLIGHT, TeamLimits, TokenName
from memoro.serve.metrics import BUCKETS, RequestMetrics
from memoro.serve.readiness import Readiness
from memoro.serve.seat_threads import OF_ONE_SEAT, OF_ONE_TENANT, SeatThreads
from memoro.serve.seat_workspaces import MOST_OF_ONE_SEAT, UNUSED_DAYS, SeatWorkspaces
from memoro.serve.team_tokens import FRESH_SECONDS, OUTAGE_SECONDS, UNKNOWN_A_SECOND, TeamTokens, TooManyUnknown
from memoro.store.opening import make_home


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def holder(tenant: str = "t", person: str = "anna", agent: str | None = None) -> TokenHolder:
    return TokenHolder(tenant=tenant, person=person, agent=agent, scopes=("write",), token_id="1")


# Tokens


class Directory:
    """The tokens that a server knows, and how often it was asked."""

    def __init__(self) -> None:
        self.known = {"memoro_t_1_good": holder()}
        self.asked: list[str] = []
        self.is_down = False

    def find(self, token: str) -> TokenHolder | None:
        self.asked.append(token)
        if self.is_down:
            raise LedgerUnreachable("db", "it does not answer")
        return self.known.get(token)


def with_tokens(work: Callable[[TeamTokens, Directory, Clock], Awaitable[None]]) -> None:
    async def run() -> None:
        directory, clock = Directory(), Clock()
        await work(TeamTokens(directory.find, clock), directory, clock)

    asyncio.run(run())


def test_a_token_is_looked_up_once_in_some_seconds_however_many_ask() -> None:
    async def work(tokens: TeamTokens, directory: Directory, clock: Clock) -> None:
        found = await asyncio.gather(*(tokens.holder("memoro_t_1_good") for _ in range(50)))
        assert found == [holder()] * 50
        assert len(directory.asked) == 1
        clock.now = FRESH_SECONDS - 0.1
        directory.known.clear()
        assert await tokens.holder("memoro_t_1_good") == holder()
        clock.now = FRESH_SECONDS
        assert await tokens.holder("memoro_t_1_good") is None
        assert len(directory.asked) == 2

    with_tokens(work)


def test_guesses_are_limited_and_push_no_known_token_out() -> None:
    async def work(tokens: TeamTokens, directory: Directory, clock: Clock) -> None:
        assert await tokens.holder("memoro_t_1_good") == holder()
        refused = 0
        for number in range(team_tokens.UNKNOWN_A_SECOND * 5):
            try:
                assert await tokens.holder(f"memoro_t_1_{number}") is None
            except TooManyUnknown:
                refused += 1
        assert len(directory.asked) == UNKNOWN_A_SECOND
        assert refused == 4 * UNKNOWN_A_SECOND + 1
        clock.now = FRESH_SECONDS  # it is known, so it is looked up again at once
        assert await tokens.holder("memoro_t_1_good") == holder()

    with_tokens(work)


def test_while_the_server_is_away_known_tokens_go_on_for_some_minutes() -> None:
    async def work(tokens: TeamTokens, directory: Directory, clock: Clock) -> None:
        assert await tokens.holder("memoro_t_1_good") == holder()
        directory.is_down = True
        clock.now = OUTAGE_SECONDS - 1
        assert await tokens.holder("memoro_t_1_good") == holder()
        clock.now = OUTAGE_SECONDS + 1
        for token in ("memoro_t_1_good", "memoro_t_1_new"):
            with pytest.raises(LedgerUnreachable):
                await tokens.holder(token)

    with_tokens(work)


# Limits


def test_tokens_and_tenants_have_limits_of_their_own() -> None:
    clock = Clock()
    limits = TeamLimits(clock)
    running = []

    def run(token: TokenName) -> bool:
        if limits.refusal(token):
            return False
        block = limits.running(token)
        block.__enter__()
        running.append(block)
        return True

    assert sum(run(TokenName("t", "1")) for _ in range(IN_FLIGHT + 5)) == IN_FLIGHT
    assert sum(run(TokenName("t", "2")) for _ in range(IN_FLIGHT + 5)) == TENANT_IN_FLIGHT - IN_FLIGHT
    assert not run(TokenName("t", "3"))
    assert run(TokenName("u", "1"))
    while running:
        running.pop().__exit__(None, None, None)
    clock.now = 1.0
    assert run(TokenName("t", "3"))


# Threads


def test_a_seat_and_a_tenant_use_some_threads_and_leave_the_rest() -> None:
    async def work() -> None:
        threads, hold = SeatThreads(), threading.Event()
        began: list[str] = []

        def slow(name: str) -> None:
            began.append(name)
            hold.wait(20)

        def ask(person: str) -> asyncio.Task[None]:
            return asyncio.create_task(threads.run("t", person, lambda: slow(person)))

        tasks = [ask("anna") for _ in range(10)]
        await asyncio.sleep(0.2)
        assert began == ["anna"] * OF_ONE_SEAT
        tasks += [ask(f"person{n}") for n in range(20)]
        await asyncio.sleep(0.2)
        assert len(began) == OF_ONE_TENANT
        assert await threads.run("another", "ben", lambda: "at once") == "at once"
        tasks[0].cancel()  # its work goes on, and keeps its place
        tasks[-1].cancel()  # this one waits, and will not begin
        await asyncio.sleep(0.1)
        assert len(began) == OF_ONE_TENANT
        hold.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(began) == 29
        assert await threads.run("t", "anna", lambda: 1) == 1
        threads.close()

    asyncio.run(work())


# Workspaces and files


@pytest.fixture
def home(tmp_path: Path) -> Path:
    make_home(str(tmp_path / "home"))
    url = 'url = "postgresql://memoro_app@127.0.0.1:1/memoro"'
    (tmp_path / "home" / "memoro.toml").write_text(
        f'[ledger]\n{url}\noutbox = true\n[vault]\npath = "/nowhere"\n[transcripts]\nfolders = ["claude"]\n'
        "[memory]\nreinforce_weight = 7\n[agents.codex.memory]\nreinforce_weight = 9\n"
    )
    return tmp_path / "home"


def test_a_seat_has_the_settings_of_the_server_and_nothing_of_its_machine(home: Path) -> None:
    seats = SeatWorkspaces(str(home))
    with seats.opened(holder("crew", "anna"), "claude") as m:
        assert (m.settings.ledger.tenant, m.settings.ledger.person) == ("crew", "anna")
        assert m.settings.memory.reinforce_weight == 7
        assert (m.settings.vault.path, m.settings.transcripts.folders, m.settings.ledger.outbox) == (None, (), False)
        assert m.home == str(home / "seats" / "crew" / "anna")
        assert m.home_context.runtime.author == "claude"
        assert not m.home_context.runtime.private
    with seats.opened(holder("crew", "anna", "codex"), "claude") as m:
        assert m.settings.memory.reinforce_weight == 9
        assert m.home_context.runtime.author == "codex"
    with seats.opened(holder("crew", "anna"), None) as m:
        assert m.home_context.runtime.private  # the person
    for name in ("..", "a/b", "", "Anna"):
        with pytest.raises(ConfigError), seats.opened(holder("crew", name), None):
            pass
    assert [one.name for one in (home / "seats" / "crew").iterdir()] == ["anna"]


def test_the_one_that_was_used_longest_ago_is_closed_and_none_in_use(home: Path) -> None:
    seats = SeatWorkspaces(str(home), most=3)
    with seats.opened(holder(person="p0"), None) as first:
        for number in range(1, 5):
            with seats.opened(holder(person=f"p{number}"), None):
                pass
        assert seats.count() == 3
        assert first.settings.ledger.person == "p0"
    with seats.opened(holder(person="p4"), None) as kept, seats.opened(holder(person="p4"), None) as same:
        assert kept is same
    for number in range(MOST_OF_ONE_SEAT + 3):  # one seat with many clients pushes out no other
        with seats.opened(holder(person="p4"), f"client{number}"):
            pass
    seats.close()
    assert seats.count() == 0


def test_seats_are_closed_after_a_time_without_use(home: Path) -> None:
    clock = Clock()
    seats = SeatWorkspaces(str(home), clock)
    with seats.opened(holder(person="anna"), None):
        with seats.opened(holder(person="ben"), None):
            pass
        clock.now = seat_workspaces.IDLE_SECONDS + 1
        seats.close_idle()
        assert seats.count() == 1


def test_files_of_a_seat_are_removed_after_days_without_use(home: Path) -> None:
    seats = SeatWorkspaces(str(home))
    for person in ("anna", "ben", "carl"):
        with seats.opened(holder("crew", person), None):
            pass
    seats.close()
    crew, long_ago = home / "seats" / "crew", time.time() - (UNUSED_DAYS + 1) * 86_400
    for person in ("anna", "carl"):
        os.utime(crew / person / "used", (long_ago, long_ago))
    with seats.opened(holder("crew", "carl"), None):
        os.utime(crew / "carl" / "used", (long_ago, long_ago))
        assert seats.remove_unused() == 1  # not the one that is open
    assert {one.name for one in crew.iterdir()} == {"ben", "carl"}
    (crew / "ben").rename(crew / "ben~")  # a process that was killed while it removed one
    seats.remove_unused()
    assert {one.name for one in crew.iterdir()} == {"carl"}


# Readiness and metrics


def test_it_is_ready_with_a_server_or_with_copies_and_not_while_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from memoro.serve import readiness

    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0.0)
    is_down, seats = [False], [0]

    def check() -> None:
        if is_down[0]:
            raise LedgerUnreachable("db", "it does not answer")

    found = Readiness(check, lambda: seats[0])
    assert found.ready().is_ready
    is_down[0] = True
    assert not found.ready().is_ready
    seats[0] = 1
    assert found.ready().is_ready
    found.is_draining = True
    assert not found.ready().is_ready


def test_a_histogram_counts_each_request_in_every_bucket_that_holds_it() -> None:
    metrics = RequestMetrics()
    for seconds in (0.001, 0.005, 0.2, 99.0):
        metrics.begin()
        metrics.end("search", 200, None, seconds)
    lines = dict(line.rsplit(" ", 1) for line in metrics.text().splitlines() if not line.startswith("#"))
    counts = [int(lines[f'memoro_request_seconds_bucket{{operation="search",le="{one}"}}']) for one in BUCKETS]
    assert counts == [2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3]
    assert lines['memoro_request_seconds_bucket{operation="search",le="+Inf"}'] == "4"
    assert lines['memoro_request_seconds_count{operation="search"}'] == "4"
    assert lines["memoro_requests_in_flight"] == "0"
