"""Each test runs in one lane: its marker. `make quick` runs the lanes `unit` and `contract`.

A file not named here is in the lane `unit`. A test of another lane than its file says so itself:
`@pytest.mark.process`, `@pytest.mark.slow`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Lane = Literal["unit", "contract", "surface", "browser", "postgres", "slow", "process", "campaign"]
LANES: dict[Lane, str] = {
    "unit": "one rule or one part, in this process",
    "contract": "all implementations of a port pass it",
    "surface": "through a surface: the command line, MCP, HTTP, an adapter, a document",
    "browser": "in a real browser: each test that takes the fixture `page` or `browser`",
    "postgres": "on a real Postgres server: each test that takes the fixture `postgres`, or runs over that store",
    "slow": "measures time, waits for it, or has much to do",
    "process": "starts processes, or breaks the machine below them",
    "campaign": "a fault or fuzz campaign; `make campaign` runs its long version",
}
QUICK: frozenset[Lane] = frozenset({"unit", "contract"})

_FILES: dict[Lane, str] = {
    "contract": """
        embedder_port index_contract language_port ledger_contract ledger_model provider_records sessions_model
        vector_contract
    """,
    "surface": """
        api api_documents batch_control
        bad_input cli command_line docs evaluate examples exchange experience_cli http langgraph language_cli mcp
        mcp_apps
        memory_cli
        memory_tool models_cli notes notes_cli openai_agents output_filter pydantic_ai review_cli usage vault_reads
        vocabulary
        page_access page_decisions page_live page_memories page_review page_search page_timeline page_troubles
    """,
    "slow": """
        batch_apis experiences freshness homes_of_0_1_0 http_client http_embedders imports kept_answers kept_blocks
        kept_curation kept_days kept_errors kept_feedback kept_ledger kept_reviews kept_searches kept_sessions
        kept_unasked kept_verdicts kept_weeks private_members provider_probe relevance schedules sessions_recall
        spaces standin store_boundary write_keys writer
    """,
    "process": """
        connect connections corruption demo faults forget_bytes forget_copies home_record hook_socket hooks
        kill ledger_corruption ledger_faults ledger_kill ledger_power ledger_processes lock mcp_processes
        http_guide outbox planted_faults processes races review_kill scope_processes serve shared_campaign
        shared_outages team_guides ui unended_sessions uninstall upgrade completion package
        writer_crash writer_editors writer_load writer_paths
    """,
}
_LANE_OF: dict[str, Lane] = {f"test_{name}": lane for lane, names in _FILES.items() for name in names.split()}


def lane_of(module: str) -> Lane:
    """The lane of a test file, by its name without a folder and `.py`."""
    return _LANE_OF.get(module, "unit")


def named_files() -> set[str]:
    return set(_LANE_OF)


class StartsProcess(AssertionError):
    """A test of a fast lane started a process."""


_STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
_guarded: list[str] = []  # the test that may not start a process, if one runs


def _refuse(event: str, _arguments: object) -> None:
    if _guarded and event in _STARTS:
        raise StartsProcess(
            f"{_guarded[-1]} starts a process ({event}): "
            "mark it @pytest.mark.process, or name its file in tests/lanes.py"
        )


@contextmanager
def no_processes(test: str) -> Iterator[None]:
    """Whatever starts a process in this block raises StartsProcess."""
    _guarded.append(test)
    try:
        yield
    finally:
        _guarded.remove(test)


sys.addaudithook(_refuse)
