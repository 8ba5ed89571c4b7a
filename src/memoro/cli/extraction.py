"""The view of `memoro extract`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.projects import short_name
from memoro.operations.extraction import EXTRACT

if TYPE_CHECKING:
    from memoro.curate.extraction.runs import ConversationFacts, ExtractionRun


def _show(run: ExtractionRun, _request: object) -> None:
    for one in run.conversations:
        _show_conversation(one, dry_run=run.dry_run)
    if not run.conversations and not run.left_out:
        say("There is no conversation. `memoro transcripts list` shows where logs are looked for.")
    elif not run.conversations:
        say(printable(f"Nothing to extract. {run.left_out_in_words()}"))
    else:
        say(printable(f"{_chosen_by(run)} {run.left_out_in_words()}".strip()))


def _show_conversation(one: ConversationFacts, *, dry_run: bool) -> None:
    project = f", project {short_name(one.project)}" if one.project else ""
    day = f", {one.day}" if one.day else ""
    say(printable(f"{one.path}{day}{project}: {_count(one, dry_run=dry_run)}"))
    places = {kept.fact: kept for kept in one.kept}
    for fact in one.facts:
        kept = places.get(fact)
        place = f" → {kept.note}" if kept else ""
        memory = f", memory:{kept.memory}" if kept and kept.memory else ""
        say(printable(f"   {fact.kind}: {fact.text} (line {fact.evidence.line}){place}{memory}"), hang=6)
    for fact in one.known:
        say(printable(f"   extracted before: {fact.text} (line {fact.evidence.line})"), hang=6)
    for omitted in one.omitted:
        text = f" {omitted.text}" if omitted.text else " a sentence"
        say(printable(f"   left out:{text}: {omitted.why}"), hang=6)
    if one.proposals:
        count = len(one.proposals)
        wait = "1 proposal waits" if count == 1 else f"{count} proposals wait"
        say(f"   {wait}, about what this may replace: `memoro review`", hang=6)
    for notice in one.notices:
        say(printable(f"   {notice}"), hang=6)


def _count(one: ConversationFacts, *, dry_run: bool) -> str:
    count = len(one.facts)
    if not count:
        return "no new fact" if one.known else "no fact"
    return f"{count} fact{'s' if count != 1 else ''}{' would be written' if dry_run else ''}"


def _chosen_by(run: ExtractionRun) -> str:
    models = sorted({one.by for one in run.conversations} - {"rules"})
    if models:
        return f"Chosen by {', '.join(models)}, among your own sentences."
    if run.has_model:
        return "Chosen by rules."
    return "Chosen by rules: no language model is set for it (`llm.provider`)."


VIEWS = {"extract": command(EXTRACT, _show)}
