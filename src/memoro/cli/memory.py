"""`memoro memory`: one small parser and one function for each thing that can be done with memories."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memoro.cli.options import Action, actions, number, opened
from memoro.ledger.forget import ForgottenMemories
from memoro.model.memories import Memory
from memoro.model.vocabulary import TRUSTS

NOTHING_FOUND = 1
NEEDS_CONSENT = 5


def configure_memory(parser: argparse.ArgumentParser) -> None:
    action = actions(parser)
    _configure_writing(action)
    _configure_reading(action)
    _configure_keeping(action)


def _configure_writing(action: Action) -> None:
    store = action("store", "Keep one fact, decision or piece of context.", _store)
    store.add_argument("text", nargs="+", help="What to keep: one thing, in a sentence.")
    _add_tags(store)
    _add_origin(store)
    store.add_argument("--trust", choices=TRUSTS[::-1], help="How far to believe it (as its source is believed).")
    store.add_argument("--task", metavar="TASK", help="The task that it comes from.")
    store.add_argument("--narrative", type=number, metavar="N", help="The narrative that it belongs to.")
    store.add_argument("--from-memory", type=number, action="append", default=[], metavar="N", dest="parents",
                       help="A memory that this one was made from; repeat for several.")  # fmt: skip
    _add_validity(store)
    for name, summary, run in (
        ("reinforce", "It helped: count it for more (+3).", _reinforce),
        ("demote", "It was wrong, stale or beside the point: count it for less (−1).", _demote),
    ):
        one = action(name, summary, run)
        _add_number(one)
        _add_origin(one)
    update = action("update", "Say it better, in place; its feedback stays.", _update)
    _add_number(update)
    update.add_argument("text", nargs="*", help="What it is to say from now on; nothing: as it was.")
    _add_tags(update)
    _add_validity(update)
    _add_origin(update)
    supersede = action("supersede", "Let a newer memory hold in place of an older one.", _supersede)
    supersede.add_argument("old", type=number, metavar="OLD", help="The number of the one that holds no more.")
    supersede.add_argument("new", type=number, metavar="NEW", help="The number of the one that holds now.")
    _add_origin(supersede)
    trust = action("trust", "Say how far a memory is to be believed. Only a person should.", _trust)
    _add_number(trust)
    trust.add_argument("level", choices=TRUSTS[::-1], help="From the most to the least.")
    _add_key(trust)


def _configure_reading(action: Action) -> None:
    query = action("query", "Find memories by their words, by use and by how lately.", _query)
    query.add_argument("words", nargs="+", help="Key words and natural synonyms of what is wanted.")
    query.add_argument("-n", "--limit", type=number, default=5, metavar="N", help="How many results (5).")
    query.add_argument("--mode", choices=("words", "hybrid"), default="words", help="hybrid: by meaning too (words).")
    query.add_argument("--session", metavar="S", help="Note in the ledger that this session was given them.")
    query.add_argument("--links", action="store_true", help="Add memories that are linked with those found.")
    query.add_argument("--as-of", metavar="WHEN", help="What was known and held true then: 2026-03-05, yesterday.")
    query.add_argument("--archived", action="store_true", help="Look in the archive too.")
    query.add_argument("--explain", action="store_true", help="Show what each place was decided by.")
    _add_tags(query)
    query.add_argument("--agent", metavar="NAME", help="Only what this agent or none in particular stored.")
    query.add_argument("--project", metavar="NAME", help="Only what belongs to this project or to none.")
    show = action("show", "All that is known about one memory.", _show)
    _add_number(show)
    show.add_argument("--used", action="store_true", help="Also every session that was given it.")
    _add_number(action("history", "All that one memory went through.", _history))
    links = action("links", "The memories that hang together with one, as a tree.", _links)
    _add_number(links)
    links.add_argument("--depth", type=number, default=2, metavar="N", help="How far to follow the links (2).")
    listed = action("list", "Memories by their numbers, newest first.", _list)
    listed.add_argument("-n", "--limit", type=number, default=20, metavar="N", help="How many (20).")
    listed.add_argument("--source", metavar="S", help="Only of this source.")
    listed.add_argument("--session", metavar="S", help="Only of this session.")
    listed.add_argument("--tag", metavar="TAG", help="Only with this tag.")
    action("stats", "How many there are, and what takes the space.", _stats)


def _configure_keeping(action: Action) -> None:
    for name, summary, run in (
        ("archive", "Move one to the archive.", _archive),
        ("unarchive", "Bring one back from the archive.", _unarchive),
    ):
        one = action(name, summary, run)
        _add_number(one)
        _add_key(one)
    prune = action("prune", "Where they have outgrown memory.max_size, archive the weakest.", _prune)
    prune.add_argument("--dry-run", action="store_true", help="Only tell what would be archived.")
    remove = action("remove", "Take one out; `memoro undo` brings it back.", _remove)
    _add_number(remove)
    _add_origin(remove)
    forget = action("forget", "Scrub memories for good. This cannot be undone.", _forget)
    forget.add_argument("numbers", type=number, nargs="*", metavar="N", help="Their numbers.")
    forget.add_argument("--query", metavar="WORDS", help="Those that these words find, listed for you to confirm.")
    forget.add_argument("-n", "--limit", type=number, default=5, metavar="N", help="How many of them (5).")
    forget.add_argument("--source", metavar="S", help="All of this source.")
    forget.add_argument("--session", metavar="S", help="All of this session.")
    forget.add_argument("--since", metavar="WHEN", help="Of those, what was stored from then on.")
    forget.add_argument("--until", metavar="WHEN", help="Of those, what was stored up to then.")
    forget.add_argument("--yes", action="store_true", help="Do it.")
    forget.add_argument("--dry-run", action="store_true", help="Only list what would go.")


def _add_number(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", type=number, metavar="N", help="The number of the memory, as in [id:N].")


def _add_tags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tags", metavar="A,B", help="Tags, with commas between them.")


def _add_key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key", metavar="K", help="Repeated with the same key, this is done only once.")


def _add_origin(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", default="agent", metavar="S",
                        help="Who says so: agent, user, conversation, … or the name of a tool (agent).")  # fmt: skip
    parser.add_argument("--session", metavar="S", help="The session in which it happens.")
    _add_key(parser)


def _add_validity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--valid-from", metavar="WHEN", help="It holds from this day on.")
    parser.add_argument("--valid-to", metavar="WHEN", help="It holds up to and with this day.")


def _store(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        stored = m.memories.store(
            " ".join(chosen.text), chosen.tags or (), source=chosen.source, trust=chosen.trust,
            session=chosen.session, task=chosen.task, narrative=chosen.narrative, parents=chosen.parents,
            valid_from=chosen.valid_from, valid_to=chosen.valid_to, key=chosen.key,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.stored(stored)))
        return 0
    print(f"[id:{stored.memory.id}] {'stored' if stored.new else 'was known already'}")
    if stored.redacted:
        print(f"   taken out before it was kept: {', '.join(stored.redacted)}")
    for other in stored.similar:
        print(f"   much like {_line(other.memory)}")
        print(f"   to keep only the new one: memoro memory supersede {other.memory.id} {stored.memory.id}")
    return 0


def _reinforce(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.reinforce(chosen.number, session=chosen.session, source=chosen.source, key=chosen.key)
    return _changed(chosen, memory, f"feedback {memory.feedback:+}")


def _demote(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.demote(chosen.number, session=chosen.session, source=chosen.source, key=chosen.key)
    return _changed(chosen, memory, f"feedback {memory.feedback:+}")


def _update(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.update(
            chosen.number, " ".join(chosen.text) or None, chosen.tags,
            valid_from=chosen.valid_from, valid_to=chosen.valid_to, session=chosen.session, source=chosen.source,
            key=chosen.key,
        )  # fmt: skip
    return _changed(chosen, memory, "updated")


def _supersede(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.supersede(
            chosen.old, chosen.new, session=chosen.session, source=chosen.source, key=chosen.key
        )
    return _changed(chosen, memory, f"superseded by [id:{chosen.new}]")


def _trust(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.trust(chosen.number, chosen.level, key=chosen.key)
    return _changed(chosen, memory, memory.trust)


def _archive(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.archive(chosen.number, key=chosen.key)
    return _changed(chosen, memory, f"archived; `memoro memory unarchive {memory.id}` brings it back")


def _unarchive(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.unarchive(chosen.number, key=chosen.key)
    return _changed(chosen, memory, "is back")


def _remove(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        memory = m.memories.remove(chosen.number, source=chosen.source, key=chosen.key)
    return _changed(chosen, memory, "removed; `memoro undo` brings it back")


def _changed(chosen: argparse.Namespace, memory: Memory, what: str) -> int:
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.memory(memory)))
    else:
        print(f"{_line(memory)}\n   {what}")
    return 0


def _query(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.memories.query(
            " ".join(chosen.words), chosen.limit, mode=chosen.mode, session=chosen.session, as_of=chosen.as_of,
            tags=chosen.tags or (), agent=chosen.agent, project=chosen.project, links=chosen.links,
            archived=chosen.archived,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.recollection(found)))
        return 0 if found.results else NOTHING_FOUND
    for notice in found.degraded:
        print(f"memoro: {notice}", file=sys.stderr)
    for one in found.results:
        marks = [f"{one.score:.2f}", f"feedback {one.memory.feedback:+}" if one.memory.feedback else ""]
        marks += [f"linked with [id:{one.linked_to}]" if one.linked_to else "", "archived" if one.archived else ""]
        print(f"{_line(one.memory)}\n   {'  '.join(mark for mark in marks if mark)}")
        if chosen.explain:
            print(f"   fit {one.fit:.4f} × usefulness {one.usefulness:.4f} × recency {one.recency:.4f}")
    if not found.results:
        print("No memory holds any of these words. Try others.", file=sys.stderr)
    return 0 if found.results else NOTHING_FOUND


def _show(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.memories.show(chosen.number)
        used = m.sessions.used(f"memory:{chosen.number}") if chosen.used else []
    if chosen.json:
        from memoro import documents

        told = {"used": [documents.use(one) for one in used]} if chosen.used else {}
        print(documents.dumps({**documents.shown_memory(shown), **told}))
        return 0
    from memoro.cli.show import became, printable

    memory = shown.memory
    print(f"[id:{memory.id}]{' archived' if shown.archived else ''}")
    print("\n".join(f"   {printable(line)}" for line in memory.content.split("\n")))
    for name, value in memory._asdict().items():
        if name not in ("id", "content") and value not in (None, ()):
            said = ", ".join(map(str, value)) if isinstance(value, tuple) else value
            print(f"   {name.replace('_', ' ')}: {printable(str(said))}")
    for name, numbers in (("supersedes", shown.supersedes), ("told in narrative", shown.narratives)):
        if numbers:
            print(f"   {name}: {', '.join(map(str, numbers))}")
    for link in shown.links:
        print(f"   linked with [id:{link.other(memory.id)}], strength {link.strength:.2f}")
    for one in used:
        print(printable(f"   given to {one.session} in recall {one.recall} on {one.at[:10]}: {became(one.feedback)}"))
        print(printable(f"      for: {one.message or '(forgotten)'}"))
    if chosen.used and not used:
        print("   not given to any session yet")
    return 0


def _history(chosen: argparse.Namespace) -> int:
    from memoro.cli.journal import show_entries

    with opened(chosen) as m:
        return show_entries(m.memories.history(chosen.number), as_json=chosen.json)


def _links(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        tree = m.memories.links(chosen.number, chosen.depth)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.neighbourhood(tree)))
        return 0
    print(_line(tree.memory))
    print("\n".join(_branches(tree.linked, "")) or "   not linked with any other yet")
    return 0


def _branches(linked: Sequence[object], indent: str) -> list[str]:
    from memoro.memories.links import Neighbourhood

    lines = []
    for position, branch in enumerate(linked):
        assert isinstance(branch, Neighbourhood)
        last = position == len(linked) - 1
        lines.append(f"{indent}{'└─' if last else '├─'} {branch.strength:.2f} {_line(branch.memory)}")
        lines += _branches(branch.linked, indent + ("   " if last else "│  "))
    return lines


def _list(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.memories.all(source=chosen.source, session=chosen.session, tag=chosen.tag)[::-1][: chosen.limit]
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"results": [documents.memory(memory) for memory in found]}))
    else:
        print("\n".join(map(_line, found)) or "No memories yet: `memoro memory store TEXT`.")
    return 0


def _stats(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        stats, sessions = m.memories.stats(), m.sessions.totals()
    uses = sessions.uses
    if chosen.json:
        from memoro import documents

        print(documents.dumps({**stats._asdict(), **sessions._asdict(), "archived": stats.archived,
                          "archived_sessions": sessions.archived, "uses": uses._asdict()}))  # fmt: skip
        return 0
    share = 100 * stats.live_bytes / max(1, stats.max_bytes)
    print(f"{stats.memories} memories ({stats.current} hold now), {stats.archived} archived")
    print(f"{stats.narratives} narratives, {stats.links} links, {stats.changes} changes in the journal")
    print(f"{stats.live_bytes:,} bytes of memories, words and vectors: {share:.1f} % of {stats.max_bytes:,}")
    archived = f" ({sessions.archived} archived)" if sessions.archived else ""
    print(
        f"{sessions.sessions} sessions{archived} in {sessions.recalls} recalls were given {uses.recalled} items: "
        f"{uses.reinforced} reinforced, {uses.demoted} demoted, {uses.corrected} corrected, {uses.unused} unused"
    )
    print("in ledger.db:")
    for name, size in sorted(stats.tables.items(), key=lambda pair: -pair[1]):
        if size:
            print(f"   {size:>12,}  {name}")
    print(f"in archive.db:\n   {stats.archive_bytes:>12,}")
    return 0


def _prune(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        plan = m.memories.prune(dry_run=chosen.dry_run)
    if chosen.json:
        from memoro import documents

        print(documents.dumps({**plan._asdict(), "archive": list(plan.archive), "done": not chosen.dry_run}))
        return 0
    if not plan.archive:
        print(f"{plan.size:,} bytes of memories fit into {plan.limit:,}; nothing to archive.")
        return 0
    verb = "would be archived" if chosen.dry_run else "archived"
    print(f"{len(plan.archive)} memories {verb}: there were {plan.size:,} bytes for {plan.limit:,}.")
    if not plan.fits:
        print("The rest does not fit yet; one run takes at most a fifth. Run it again, or raise memory.max_size.")
    return 0


def _forget(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        listing = chosen.dry_run or not chosen.yes
        found = m.memories.forget(
            chosen.numbers, query=chosen.query, limit=chosen.limit, source=chosen.source, session=chosen.session,
            since=chosen.since, until=chosen.until, yes=chosen.yes, dry_run=listing,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.forgotten(found)))
    else:
        _show_forgotten(found)
    if found.done or chosen.dry_run:
        return 0
    if found.memories:
        print("memoro: this cannot be undone; add --yes to do it.", file=sys.stderr)
    return NEEDS_CONSENT if found.memories else NOTHING_FOUND


def _show_forgotten(found: ForgottenMemories) -> None:
    if not found.memories:
        print("There is nothing of that kind to forget.", file=sys.stderr)
        return
    numbers = ", ".join(f"[id:{memory.id}]" for memory in found.memories)
    print(f"Forgotten: {numbers}" if found.done else "To be forgotten:")
    if not found.done:
        print("\n".join(_line(memory) for memory in found.memories))
    if found.backups:
        print(f"Still in these backups, until you delete them: {', '.join(found.backups)}")
    if found.narratives:
        numbers = ", ".join(map(str, found.narratives))
        print(f"Narratives that rested on it, and may tell of it in their own words: {numbers}")


def _line(memory: Memory) -> str:
    """One line that names a memory and what it says."""
    from memoro.cli.show import printable

    first, _, more = memory.content.partition("\n")
    tags = f"  #{' #'.join(memory.tags)}" if memory.tags else ""
    return printable(f"[id:{memory.id}] {first}{' …' if more else ''}{tags}")
