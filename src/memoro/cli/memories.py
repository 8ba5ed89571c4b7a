"""The views of `memoro memory …`: what a person sees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import NEEDS_CONSENT, NOTHING_FOUND, Run, command
from memoro.cli.journal import show_changes
from memoro.cli.lines import say
from memoro.cli.show import feedback_said, printable, show_derived, show_next_page, show_visibility
from memoro.model.held_days import held, short_day
from memoro.model.local_time import local, local_day
from memoro.model.notes import counted
from memoro.model.replaced import mark
from memoro.operations import memories as operations
from memoro.operations.operation import Operation, Request

if TYPE_CHECKING:
    from memoro.ledger.forget import ForgottenMemories
    from memoro.memories.links import Neighbourhood
    from memoro.memories.rank import RankedMemory
    from memoro.memories.results import ChangedMemory, Recollection, Stored
    from memoro.model.memories import Memory


def _show_stored(stored: Stored, _request: operations.KeepMemory) -> None:
    private = ", private" if stored.visibility == "private" else ""
    say(f"[id:{stored.memory.id}] {'stored' if stored.new else 'was known already'}{private}")
    if stored.redacted:
        say(f"   removed before it was stored: {', '.join(stored.redacted)}")
    for old in stored.superseded:
        say(f"   supersedes {_line(old)}", hang=6)
    for one in stored.waiting:
        say(f"   does not supersede {_line(one.memory)}", hang=6)
        say(f"   which has a higher trust level. To supersede it: memoro accept {one.proposal}")
    for notice in stored.degraded:
        say(f"memoro: {notice}", file=sys.stderr)
    if stored.nearest:
        say("   nearest to it:")
        for other in stored.nearest:
            say(f"   {'says the same: ' if other.says_the_same else ''}{_line(other.memory)}", hang=6)
        first = stored.nearest[0].memory.id
        say(f"   if it replaces [id:{first}]: memoro memory supersede {first} {stored.memory.id}")


def _changed(operation: Operation[Request, Memory], said: Callable[[Memory], str]) -> Run:
    """The command for a change to one memory: show the memory, and what was done to it."""
    return command(operation, lambda memory, _: say(f"{_line(memory)}\n   {said(memory)}", hang=3))


def _show_change(done: ChangedMemory, said: str) -> None:
    """Show the memory and what was done to it, or the proposal for it."""
    if done.proposal is None:
        say(f"{_line(done.memory)}\n   {said}", hang=3)
        return
    say(f"proposal {done.proposal}, about {_line(done.memory)}")
    say(f"   {done.why} `memoro accept {done.proposal}` carries it out, `memoro proposals` shows it.")


def _show_query(found: Recollection, request: operations.QueryMemories) -> None:
    for notice in found.degraded:
        say(f"memoro: {notice}", file=sys.stderr)
    for one in found.results:
        marks = [f"{one.score:.2f}", f"feedback {one.memory.feedback:+}" if one.memory.feedback else ""]
        marks += [f"linked with [id:{one.linked_to}]" if one.linked_to else "", "archived" if one.archived else ""]
        marks += [held(short_day(one.since), short_day(one.until)) if one.until else ""]
        say(f"{_line(one.memory)}\n   {'  '.join(mark for mark in marks if mark)}", hang=3)
        if one.replaced_by:
            say(f"   {printable(mark(one.replaced_by))}")
        if request.explain:
            for line in _account(one):
                say(f"   {line}")
    if request.explain:
        _show_legend(found)
    if not found.results and found.only_archived:
        some = "an archived one does" if found.only_archived == 1 else f"{found.only_archived} archived ones do"
        say(f"No present memory matches, but {some}: add --archived to see.", file=sys.stderr)
    elif not found.results:
        say(
            "No memory contains any of these words. Try others."
            if found.mode == "words"
            else "No memory matches. Try other words, or `memoro memory list`.",
            file=sys.stderr,
        )


def _account(one: RankedMemory) -> Iterator[str]:
    if one.explanation is None:
        yield f"fit {one.fit:.4f} × usefulness {one.usefulness:.4f} × recency {one.recency:.4f}"
        return
    from memoro.cli.explain import parts

    yield from parts(one.score, one.explanation)


def _show_legend(found: Recollection) -> None:
    explained = [one.explanation for one in found.results if one.explanation]
    if explained:
        from memoro.cli.explain import legend

        for line in legend(explained):
            say(line, hang=6 if line.startswith(" ") else 0)


def _query_code(found: Recollection, _request: operations.QueryMemories) -> int:
    return 0 if found.results else NOTHING_FOUND


def _show_details(found: operations.ShownMemory, _request: operations.ShowMemory) -> None:
    shown, memory = found.shown, found.shown.memory
    private = " private" if shown.visibility == "private" else ""
    say(f"[id:{memory.id}]{' archived' if shown.archived else ''}{private}")
    say("\n".join(f"   {printable(line)}" for line in memory.content.split("\n")))
    for name, value in memory._asdict().items():
        if name not in ("id", "content") and value not in (None, ()):
            said = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            said = local(said) if name.endswith("_at") or name.startswith("valid_") else said
            say(f"   {name.replace('_', ' ')}: {printable(said)}")
    for name, numbers in (("supersedes", shown.supersedes), ("used in narrative", shown.narratives)):
        if numbers:
            say(f"   {name}: {', '.join(map(str, numbers))}")
    for link in shown.links:
        say(f"   linked with [id:{link.other(memory.id)}], strength {link.strength:.2f}")
    for one in found.used or ():
        fate = feedback_said(one.feedback)
        say(printable(f"   given to {one.session} in recall {one.recall} on {local_day(one.at)}: {fate}"))
        say(printable(f"      for: {one.message or '(forgotten)'}"))
    if found.used == ():
        say("   not given to any session yet")


def _show_links(tree: Neighbourhood, _request: operations.MemoryLinks) -> None:
    say(_line(tree.memory), hang=3)
    say("\n".join(_branches(tree.linked, "")) or "   not linked with another memory yet")


def _branches(linked: Sequence[Neighbourhood], indent: str) -> list[str]:
    lines = []
    for position, branch in enumerate(linked):
        last = position == len(linked) - 1
        lines.append(f"{indent}{'└─' if last else '├─'} {branch.strength:.2f} {_line(branch.memory)}")
        lines += _branches(branch.linked, indent + ("   " if last else "│  "))
    return lines


def _show_list(found: operations.MemoryList, request: operations.ListMemories) -> None:
    is_chosen = request._replace(limit=0, sort="newest", scope="session") != operations.ListMemories(limit=0)
    none = (
        "No memory matches. Use fewer filters; `--state all` lists superseded ones too."
        if is_chosen
        else "No memories yet. `memoro memory store TEXT` stores one."
    )
    private = {number for number, seen in (found.seen or {}).items() if seen == "private"}
    lines = [f"{_line(one)}{'  (private)' if one.id in private else ''}" for one in found.results]
    say("\n".join(lines) or none, hang=3)
    show_next_page(found.next)


def _show_stats(found: operations.LedgerTotals, _request: object) -> None:
    stats, sessions, uses = found.memories, found.sessions, found.sessions.uses
    share = 100 * stats.live_bytes / max(1, stats.max_bytes)
    say(f"{_memories(stats.memories)} ({stats.current} true now), {stats.archived} archived")
    say(
        f"{counted(stats.narratives, 'narrative')}, {counted(stats.links, 'link')}, "
        f"{counted(stats.changes, 'change')} in the journal"
    )
    say(f"{stats.live_bytes:,} bytes of memories, words and vectors: {share:.1f} % of {stats.max_bytes:,}")
    archived = f" ({sessions.archived} archived)" if sessions.archived else ""
    say(
        f"{counted(sessions.sessions, 'session')}{archived} with {counted(sessions.recalls, 'recall')}, "
        f"{counted(uses.recalled, 'item')} given: "
        f"{uses.reinforced} reinforced, {uses.demoted} demoted, {uses.corrected} corrected, {uses.unused} unused"
    )
    say("bytes in ledger.db, by table:")
    for name, size in sorted(stats.tables.items(), key=lambda pair: -pair[1]):
        if size:
            say(f"   {size:>12,}  {name}")
    say(f"bytes in archive.db: {stats.archive_bytes:,}")


def _show_pruned(found: operations.PrunedMemories, _request: operations.PruneMemories) -> None:
    plan = found.plan
    if not plan.archive:
        say(f"Nothing to archive: memories take {plan.size:,} of {plan.limit:,} bytes.")
        return
    verb = "archived" if found.done else "would be archived"
    say(f"{_memories(len(plan.archive))} {verb}: {plan.size:,} bytes exceeded {plan.limit:,}.")
    if not plan.fits:
        say("They still exceed it: one run archives at most a fifth. Run it again, or raise memory.max_size.")


def _show_forgotten(found: ForgottenMemories, _request: operations.ForgetMemories) -> None:
    if not found.memories:
        say("No memory matches, so there is nothing to forget. `memoro memory list` lists them.", file=sys.stderr)
        return
    numbers = ", ".join(f"[id:{memory.id}]" for memory in found.memories)
    say(f"Forgotten: {numbers}" if found.done else "To be forgotten:")
    if not found.done:
        say("\n".join(_line(memory) for memory in found.memories), hang=3)
    show_derived(found.derived, done=found.done)
    if found.backups:
        say(f"Still in these backups, until you delete them: {', '.join(found.backups)}")
    for sentence in found.elsewhere:
        say(printable(sentence))
    if found.narratives:
        numbers = ", ".join(map(str, found.narratives))
        say(f"Narratives based on it, which may repeat it in their own words: {numbers}")


def _forget_code(found: ForgottenMemories, request: operations.ForgetMemories) -> int:
    if found.done or request.dry_run:
        return 0
    if found.memories:
        say("memoro: this cannot be undone; add --yes to do it.", file=sys.stderr)
    return NEEDS_CONSENT if found.memories else NOTHING_FOUND


def _line(memory: Memory) -> str:
    """One line with the memory's number, its first line and its tags."""
    first, _, more = memory.content.partition("\n")
    tags = f"  #{' #'.join(memory.tags)}" if memory.tags else ""
    return printable(f"[id:{memory.id}] {first}{' …' if more else ''}{tags}")


def _memories(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"


def _feedback(memory: Memory) -> str:
    return f"feedback {memory.feedback:+}"


VIEWS = {
    "memory store": command(operations.STORE, _show_stored),
    "memory reinforce": _changed(operations.REINFORCE, _feedback),
    "memory demote": _changed(operations.DEMOTE, _feedback),
    "memory update": command(operations.UPDATE, lambda done, _: _show_change(done, "updated")),
    "memory supersede": command(
        operations.SUPERSEDE, lambda done, request: _show_change(done, f"superseded by [id:{request.new}]")
    ),
    "memory trust": _changed(operations.TRUST, lambda memory: memory.trust),
    "memory visibility": command(operations.VISIBILITY_OF, show_visibility),
    "memory archive": _changed(
        operations.ARCHIVE, lambda memory: f"archived; `memoro memory unarchive {memory.id}` restores it"
    ),
    "memory unarchive": _changed(operations.UNARCHIVE, lambda _: "restored from the archive"),
    "memory remove": command(
        operations.REMOVE, lambda done, _: _show_change(done, "removed; `memoro undo` restores it")
    ),
    "memory query": command(operations.QUERY, _show_query, _query_code),
    "memory show": command(operations.SHOW, _show_details),
    "memory history": command(operations.HISTORY, show_changes),
    "memory links": command(operations.LINKS, _show_links),
    "memory list": command(operations.LIST, _show_list),
    "memory stats": command(operations.STATS, _show_stats),
    "memory prune": command(operations.PRUNE, _show_pruned),
    "memory forget": command(operations.FORGET, _show_forgotten, _forget_code),
}
