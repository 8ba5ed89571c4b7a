"""Which settings may be changed on the page and over HTTP, and why the others need the command line.

The command line proves that its owner types. A request may come from a program with a token that it should not have.
So a setting is safe only if no value of it sends text elsewhere, costs money, names other files, or lets agents see
or write more than before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

from memoro.errors import NeedsCommandLine

Risk = Literal["sends_text", "costs_money", "names_files", "opens_memory"]
RISKS: tuple[Risk, ...] = get_args(Risk)

# Every setting stands here once; `tests/test_change_risks.py` names a new one that does not.
SAFE = """
    enabled
    sync.on_session_start sync.on_search sync.watch sync.watch_debounce_ms sync.interval_minutes
    sync.transcripts.delta_bytes sync.transcripts.delta_messages sync.transcripts.debounce_ms
    query.max_results query.mode query.candidate_multiplier query.half_life_days query.fusion query.vector_weight
    query.text_weight query.min_score query.sources
    daily.tool_calls daily.prompt_lines
    memory.reinforce_weight memory.demote_weight memory.max_size memory.prune_schedule memory.prune_percent
    recall.budget recall.candidates recall.window recall.warnings
    recall.proactive.max_items recall.proactive.max_tokens recall.proactive.min_score
    experience.half_life_days experience.prune_below
    context.compact_at context.target context.recency_buffer context.min_messages context.tool_result_tokens
    extract.enabled extract.min_user_messages extract.max_facts extract.max_chars extract.to
    curate.memory_tokens curate.rules_tokens curate.proposals_per_round
"""
RISKY: dict[Risk, str] = {
    "sends_text": """
        embedding.enabled embedding.provider embedding.model embedding.url embedding.key embedding.dimensions
        embedding.fallback embedding.requests_per_minute
        llm.provider llm.model llm.url llm.key llm.purposes
        providers.private_hosts privacy.providers
        ledger.url ledger.password ledger.tenant ledger.person ledger.visibility ledger.outbox
    """,
    # New passages, an emptied cache and a denser schedule make a model of a provider work again.
    "costs_money": """
        chunking.tokens chunking.overlap cache.enabled cache.max_entries curate.schedule
        embedding.price embedding.batch.enabled embedding.batch.concurrency embedding.batch.poll_seconds
        embedding.batch.timeout_minutes embedding.batch.wait
        llm.price_in llm.price_out usage.daily_cap usage.ask_above
    """,
    "names_files": """
        vault.path vault.extra vault.memories vault.ignore transcripts.folders transcripts.ignore
        daily.folder daily.pattern daily.obsidian daily.keep_days
    """,
    "opens_memory": "privacy.private privacy.agents writing.agent_writes",
}
SENTENCES: dict[Risk, str] = {
    "sends_text": "it decides which text leaves this machine",
    "costs_money": "it decides what models may cost",
    "names_files": "it decides which files Memoro reads and writes",
    "opens_memory": "it decides what agents may see and write",
}


@cache
def change_risks() -> Mapping[str, Risk | None]:
    """Return the risk of changing each setting; None: the change is safe."""
    safe: dict[str, Risk | None] = dict.fromkeys(SAFE.split())
    return safe | {key: risk for risk, keys in RISKY.items() for key in keys.split()}


def safe_to_change(key: str) -> bool:
    """Return whether a setting may be changed on the page and over HTTP. One that nobody decided on may not."""
    risks = change_risks()
    return key in risks and risks[key] is None


def check_safe(key: str) -> None:
    """Raise NeedsCommandLine for a setting that only the command line may change. `key` is its full name."""
    if safe_to_change(key):
        return
    risk = change_risks().get(key)
    why = SENTENCES[risk] if risk else "nobody has said that it is safe"
    raise NeedsCommandLine(key, why)
