"""Texts for people about models on other machines: what is sent where, its price, and the question before it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.index.embedding_plan import (
    EmbeddingPlan,
    EmbeddingReport,
    SentTexts,
    count_of,
    estimate_in_words,
    price_in_words,
    tokens_in_words,
)
from memoro.providers.prices import in_dollars

if TYPE_CHECKING:
    from memoro.embedding_status import EmbeddingStatus
    from memoro.index.report import Report
    from memoro.language_status import LanguageStatus


class Question(NamedTuple):
    """A question to the owner, and what is said where the answer is no."""

    text: str
    nothing_done: str


def question(done: Report) -> Question:
    """Return what `memoro sync` asks after this report."""
    if done.download is not None:
        return Question("Download it?", "Nothing was downloaded")
    return Question("Send them?", "Nothing was sent")


def sent_in_words(sent: SentTexts) -> str:
    """Say how much was sent: `4,990 texts, 1.3 M tokens, $0.03`."""
    much = f"{count_of(sent.texts, 'text')}, {tokens_in_words(sent.tokens)}"
    if sent.dollars is None:
        return f"{much}, price unknown"
    return f"{much}, {in_dollars(sent.dollars)}" if sent.dollars else much


def estimate_lines(plan: EmbeddingPlan) -> list[str]:
    """Say what would be sent where, what it costs, and what stays here."""
    missing = plan.missing
    where = plan.host or "the model"
    if not missing.passages:
        return [
            f"{plan.space} is complete. Searching it, and adding to it, costs money.",
            f"   sends    queries and new passages to {where}",
            f"   costs    {price_in_words(plan.prices)}",
        ]
    known = f" ({missing.cached:,} more are known already)" if missing.cached else ""
    lines = [
        f"{plan.space} needs vectors of {count_of(missing.passages, 'passage')}.",
        f"   sends    {count_of(missing.texts, 'text')} to {where}{known}",
        f"   costs    {estimate_in_words(plan)}",
    ]
    if missing.private:
        lines.append(f"   stays    {count_of(missing.private, 'private passage')}, found by words alone")
    if missing.rejected:
        lines.append(f"   omitted  {count_of(missing.rejected, 'passage')} that the provider cannot embed")
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
        say(f"  {count_of(done.left, 'passage')} {has} no vector in {printable(done.space)} yet")


def sent_lines(found: EmbeddingStatus | None) -> list[str]:
    """Say where passages and queries go, and in what state their model is; nothing for the built-in one."""
    return [] if found is None else [egress(found), *state_lines(found)]


def language_lines(found: LanguageStatus | None) -> list[str]:
    """Say where the language model's questions go; nothing where the owner has set none."""
    if found is None:
        return []
    if found.problem:
        return [f"nothing to a language model: {found.problem}"]
    if not found.purposes:
        return ["nothing to a language model: llm.purposes names nothing that it may be asked for"]
    where = f"{found.host or 'this process'} ({found.provider}/{found.model})"
    asked = f"to {where}, for {', '.join(found.purposes)}"
    private = "private notes too" if found.with_private else "private notes stay here"
    lines = [
        f"parts of conversations and notes {asked}; without secrets, {private}"
        if found.leaves
        else f"questions with parts of conversations and notes {asked}; nothing leaves this machine"
    ]
    if found.left_alone_until:
        at = found.left_alone_until.partition("T")[2]
        lines.append(f"it failed ({(found.failure or '').rstrip('.')}) and is asked again from {at} on")
    return lines


def egress(found: EmbeddingStatus) -> str:
    """Say where text goes."""
    model = found.space.rsplit("/", 2)[0]
    if found.host is None:
        return f"nothing leaves this machine ({model} runs in this process)"
    where = f"{found.host} ({model})"
    if not found.is_agreed and found.missing is None:
        return f"nothing more: {where} gets queries and new passages once you agree to the price (`memoro sync`)"
    if not found.is_agreed:
        return f"nothing yet: {where} gets passages and queries once you agree (`memoro sync`)"
    if found.is_home:
        return f"passages and queries to {where}; nothing leaves this machine"
    private = "private notes too" if found.with_private else "private notes stay here"
    return f"passages and queries to {where}; {private}"


def state_lines(found: EmbeddingStatus) -> list[str]:
    """Say what is missing in the space of a model, and what is wrong with it."""
    lines = []
    if found.missing is not None and not found.suspicion:  # filled, it would not be searched either
        passages = count_of(found.missing.missing.passages, "passage")
        lines.append(f"{int(100 * found.filled)} % filled: {passages} left, {_what_is_left(found, found.missing)}")
    if found.jobs:
        jobs, texts = count_of(found.jobs, "batch job"), count_of(found.job_texts, "text")
        lines.append(f"{jobs} open with {texts}; `memoro sync` takes what is done")
    if found.left_alone_until:
        at = found.left_alone_until.partition("T")[2]
        lines.append(f"it failed ({(found.failure or '').rstrip('.')}) and is tried again at {at}")
    elif found.failure:
        lines.append(f"it failed when it was last asked: {found.failure.rstrip('.')}")
    if found.suspicion:
        lines.append(f"not searched: {found.suspicion}")
    if found.rejected:
        cannot = "cannot be embedded and is" if found.rejected == 1 else "cannot be embedded and are"
        lines.append(f"{count_of(found.rejected, 'text')} {cannot} found by words alone")
    return lines


def _what_is_left(found: EmbeddingStatus, plan: EmbeddingPlan) -> str:
    """Say what the passages that are left cost, and what completes them."""
    if not plan.missing.texts:
        return (
            "all paid for in batch jobs" if found.jobs else "none of which need be sent; `memoro sync` completes it"
        )
    does = "completes it" if found.is_agreed else "asks before it sends them"
    if found.failure:  # another line says why, and what to do
        does = "tries again"
    return f"{estimate_in_words(plan)}; `memoro sync` {does}"


def without_question(done: Report) -> Report:
    """Return a report without the sentence about what waits for a yes: `show_embedding` says more."""
    if done.embedding is None or done.embedding.waits is None:
        return done
    from memoro.index.embedding_plan import waiting_sentence

    said = waiting_sentence(done.embedding.waits)
    return done._replace(degraded=tuple(one for one in done.degraded if one != said))


def may_ask(chosen: argparse.Namespace) -> bool:
    return not chosen.json and sys.stdin.isatty() and sys.stdout.isatty()
