"""What people read about models on other machines: what is sent where, for how much, and the question before it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.index.embedding_plan import (
    EmbeddingPlan,
    EmbeddingReport,
    SentTexts,
    dollars_in_words,
    estimate_in_words,
    tokens_in_words,
)
from memoro.model.notes import counted

if TYPE_CHECKING:
    from memoro.index.report import Report

NO_TERMINAL = "Nothing was sent: there is no terminal to ask on. `memoro sync --yes` agrees without being asked."
NOT_AGREED = "Nothing was sent. Searches use the built-in model; `memoro sync` asks again."


def sent_in_words(sent: SentTexts) -> str:
    """Say how much was sent: `4,990 texts, 1.3 M tokens, $0.03`."""
    cost = "price unknown" if sent.dollars is None else dollars_in_words(sent.dollars)
    return f"{counted(sent.texts, 'text')}, {tokens_in_words(sent.tokens)}, {cost}"


def estimate_lines(plan: EmbeddingPlan) -> list[str]:
    """Say what would be sent where, what it costs, and what stays here."""
    missing = plan.missing
    where = plan.host or "the model"
    known = f" ({missing.cached:,} more are known already)" if missing.cached else ""
    lines = [
        f"{plan.space} needs vectors of {counted(missing.passages, 'passage')}.",
        f"   sends    {counted(missing.texts, 'text')} to {where}{known}",
        f"   costs    {estimate_in_words(plan)}",
    ]
    if missing.private:
        lines.append(f"   stays    {counted(missing.private, 'private passage')}, found by words alone")
    if missing.rejected:
        lines.append(f"   omitted  {counted(missing.rejected, 'passage')} that the provider cannot embed")
    return lines


def show_embedding(done: EmbeddingReport) -> None:
    """Say what a sync has sent, and what is still missing."""
    if done.sent.texts:
        say(f"  sent to {printable(done.host or done.space)}: {sent_in_words(done.sent)}")
    if done.waits is not None:
        for line in estimate_lines(done.waits):
            say(printable(line))
    elif done.left:
        has = "has" if done.left == 1 else "have"
        say(f"  {counted(done.left, 'passage')} {has} no vector in {printable(done.space)} yet")


def without_question(done: Report) -> Report:
    """Return a report without the sentence about what waits for a yes: `show_embedding` says more."""
    if done.embedding is None or done.embedding.waits is None:
        return done
    from memoro.index.embedding_plan import waiting_sentence

    said = waiting_sentence(done.embedding.waits)
    return done._replace(degraded=tuple(one for one in done.degraded if one != said))


def may_ask(chosen: argparse.Namespace) -> bool:
    return not chosen.json and sys.stdin.isatty() and sys.stdout.isatty()
