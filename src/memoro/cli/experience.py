"""`memoro experience`: one small parser and one function for each thing that can be done with experiences."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from memoro.cli.options import Action, actions, number, opened
from memoro.cli.show import printable
from memoro.errors import ConfigError
from memoro.experiences.results import WeightedExperience
from memoro.experiences.solutions import on_one_line, whole
from memoro.model.experiences import PREFERENCE, Experience, passage
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS

NOTHING_FOUND = 1
_SHOWN = 100  # letters of a solution in a list


def configure_experience(parser: argparse.ArgumentParser) -> None:
    action = actions(parser)
    _configure_writing(action)
    _configure_reading(action)
    _configure_keeping(action)


def _configure_writing(action: Action) -> None:
    record = action("record", "Keep what was to be done, and what was done about it.", _record)
    record.add_argument(
        "type", choices=[name for name in EXPERIENCE_TYPES if name != PREFERENCE], help="What kind of thing it is."
    )
    record.add_argument("intent", help="What was to be done, in a sentence.")
    record.add_argument("solution", nargs="?", help="What was done: JSON, or else a text; - or nothing: from stdin.")
    record.add_argument("--success", type=_share, default=1.0, metavar="S", help="How well it went, 0–1 (1).")
    _add_tags(record)
    _add_origin(record)
    use = action("use", "It was used again, and is as fresh as new.", _use)
    _add_number(use)
    use.add_argument("--success", type=_share, metavar="S", help="How well it went this time, 0–1.")
    _add_source(use)
    prefer = action("prefer", "Note what is preferred; without VALUE, tell.", _prefer)
    prefer.add_argument("category", nargs="?", help="What the preference is about; nothing: every category.")
    prefer.add_argument("value", nargs="?", help="What is preferred: JSON, or else a text.")
    _add_tags(prefer)
    _add_origin(prefer)
    trust = action("trust", "Say how far an experience is to be believed. Only a person should.", _trust)
    _add_number(trust)
    trust.add_argument("level", choices=TRUSTS[::-1], help="From the most to the least.")
    _add_key(trust)


def _configure_reading(action: Action) -> None:
    find = action("find", "Find experiences whose intents are like this.", _find)
    find.add_argument("words", nargs="+", help="What is to be done now.")
    _add_tags(find)
    find.add_argument("-n", "--limit", type=number, default=5, metavar="N", help="How many results (5).")
    find.add_argument("--type", choices=EXPERIENCE_TYPES, help="Only of this type.")
    find.add_argument(
        "--mode", choices=("hybrid", "words"), default="hybrid", help="words: without meaning (hybrid)."
    )
    find.add_argument("--agent", metavar="NAME", help="Only what this agent or none in particular recorded.")
    find.add_argument("--project", metavar="NAME", help="Only what belongs to this project or to none.")
    find.add_argument("--archived", action="store_true", help="Look among archived and faded ones too.")
    _add_number(action("show", "All that is known about one experience.", _show))
    _add_number(action("history", "All that one experience went through.", _history))
    listed = action("list", "Experiences by their numbers, newest first.", _list)
    listed.add_argument("-n", "--limit", type=number, default=20, metavar="N", help="How many (20).")
    listed.add_argument("--type", choices=EXPERIENCE_TYPES, help="Only of this type.")
    listed.add_argument("--tag", metavar="TAG", help="Only with this tag.")
    listed.add_argument("--archived", action="store_true", help="Those that have faded and were archived.")
    action("stats", "How many there are, and how well they went.", _stats)


def _configure_keeping(action: Action) -> None:
    prune = action("prune", "Archive those that have faded; using one brings it back.", _prune)
    prune.add_argument("--below", type=_share, metavar="W", help="Of which less than this is left (0.05).")
    prune.add_argument("--force", action="store_true", help="Though many have faded at once: the clock is right.")
    prune.add_argument("--dry-run", action="store_true", help="Only tell what would be archived.")
    remove = action("remove", "Take one out; `memoro undo` brings it back.", _remove)
    _add_number(remove)
    _add_source(remove)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def _named(text: str) -> int:
    return number(text.removeprefix("experience:"))


def _add_number(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", type=_named, metavar="N", help="The number of the experience, as in experience:N.")


def _add_tags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tags", metavar="A,B", default="", help="Tags, with commas between them.")


def _add_key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key", metavar="K", help="Repeated with the same key, this is done only once.")


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", default="agent", metavar="S",
                        help="Who says so: agent, user, conversation, … or the name of a tool (agent).")  # fmt: skip
    _add_key(parser)


def _add_origin(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="S", help="The session in which it happened.")
    parser.add_argument("--project", metavar="NAME", help="The project that it belongs to.")
    _add_source(parser)


def _record(chosen: argparse.Namespace) -> int:
    given = chosen.solution
    if given in (None, "-"):
        given = sys.stdin.read()
    if not given.strip():
        raise ConfigError("Say what was done: as an argument, or on stdin.")
    with opened(chosen) as m:
        done = m.experiences.record(
            chosen.type, chosen.intent, _read(given), success=chosen.success, tags=chosen.tags,
            source=chosen.source, session=chosen.session, project=chosen.project, key=chosen.key,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.recorded(done)))
        return 0
    if done.new:
        print(f"experience:{done.experience.id} recorded")
    else:
        print(
            f"experience:{done.experience.id} was known: {_about(WeightedExperience(done.experience, done.weight))}"
        )
    if done.redacted:
        print(f"   taken out before it was kept: {', '.join(done.redacted)}")
    return 0


def _read(text: str) -> Any:
    """JSON, where it is some; else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


def _use(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.experiences.mark_used(chosen.number, chosen.success, source=chosen.source, key=chosen.key)
    return _changed(chosen, shown, _about(shown))


def _trust(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.experiences.trust(chosen.number, chosen.level, key=chosen.key)
    return _changed(chosen, shown, shown.experience.trust)


def _remove(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.experiences.remove(chosen.number, source=chosen.source, key=chosen.key)
    return _changed(chosen, shown, "removed; `memoro undo` brings it back")


def _changed(chosen: argparse.Namespace, shown: WeightedExperience, what: str) -> int:
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.experience(*shown)))
    else:
        print(f"{_line(shown.experience)}\n   {what}")
    return 0


def _prefer(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        if chosen.value is None:
            held = m.experiences.preferences(chosen.category, project=chosen.project)
        else:
            done = m.experiences.prefer(
                chosen.category, _read(chosen.value), tags=chosen.tags, source=chosen.source,
                session=chosen.session, project=chosen.project, key=chosen.key,
            )  # fmt: skip
            held = (done.preference,)
    if chosen.json:
        from memoro import documents

        if chosen.value is None:
            print(documents.dumps({"preferences": [documents.preference(one) for one in held]}))
        else:
            print(documents.dumps({**documents.recorded(done.recorded), "preference": documents.preference(held[0])}))
        return 0
    for one in held:
        print(printable(f"{one.category}: {on_one_line(one.experience)}  confidence {one.confidence:.2f}"))
        for other in one.others:
            print(printable(f"   less sure: {on_one_line(other)}  confidence {other.success:.2f}"))
    if not held:
        print("No preference is known. Note one with `memoro experience prefer CATEGORY VALUE`.", file=sys.stderr)
    return 0 if held else NOTHING_FOUND


def _find(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.experiences.find_similar(
            " ".join(chosen.words), chosen.tags, chosen.limit, type=chosen.type, mode=chosen.mode,
            agent=chosen.agent, project=chosen.project, archived=chosen.archived,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.similar(found)))
        return 0 if found.results else NOTHING_FOUND
    for notice in found.degraded:
        print(f"memoro: {notice}", file=sys.stderr)
    for one in found.results:
        print(
            f"{_line(one.experience)}\n   {one.score:.2f}  {_about(WeightedExperience(one.experience, one.weight))}"
        )
        print(f"   {_shortened(one.experience)}")
    if not found.results:
        print("No experience is like this.", file=sys.stderr)
    return 0 if found.results else NOTHING_FOUND


def _show(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.experiences.show(chosen.number)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.experience(*shown)))
        return 0
    one = shown.experience
    print(f"experience:{one.id}{' archived' if one.archived_at else ''}")
    print("\n".join(f"   {printable(line)}" for line in whole(one).split("\n")))
    print(f"   weight: {shown.weight:.2f}")
    for name, value in one._asdict().items():
        if name not in ("id", "intent", "solution_json") and value not in (None, ()):
            said = ", ".join(value) if isinstance(value, tuple) else round(value, 4) if name == "success" else value
            print(f"   {name.replace('_', ' ')}: {printable(str(said))}")
    return 0


def _history(chosen: argparse.Namespace) -> int:
    from memoro.cli.journal import show_entries

    with opened(chosen) as m:
        return show_entries(m.experiences.history(chosen.number), as_json=chosen.json)


def _list(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.experiences.list(type=chosen.type, tag=chosen.tag, archived=chosen.archived, limit=chosen.limit)
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"results": [documents.experience(*shown) for shown in found]}))
        return 0
    for shown in found:
        print(f"{_line(shown.experience)}\n   {_about(shown)}")
    if not found:
        print("None." if chosen.archived else "No experiences yet: `memoro experience record TYPE INTENT SOLUTION`.")
    return 0


def _stats(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        stats = m.experiences.stats()
    if chosen.json:
        from memoro import documents

        print(documents.dumps(stats._asdict()))
        return 0
    mean = "" if stats.success is None else f", success {stats.success:.2f} on average"
    print(f"{stats.live} experiences{mean}; {stats.faded} faded, {stats.archived} archived; {stats.uses} uses")
    for name, count in stats.types.items():
        print(f"   {count:>6}  {name}")
    return 0


def _prune(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        if chosen.dry_run:
            plan = m.experiences.plan_expiry(chosen.below)
        else:
            plan = m.experiences.prune_expired(chosen.below, force=chosen.force, source="user")
    if chosen.json:
        from memoro import documents

        document = {**plan._asdict(), "archive": list(plan.archive), "bring_back": list(plan.bring_back)}
        print(documents.dumps({**document, "done": not chosen.dry_run}))
        return 0
    verb = "would be archived" if chosen.dry_run else "archived"
    print(f"{len(plan.archive)} of {plan.live} experiences {verb}.")
    if plan.bring_back:
        back = "would be back" if chosen.dry_run else "are back"
        print(f"{len(plan.bring_back)} {back}: a clock that ran ahead had archived them.")
    if plan.braked and chosen.dry_run:
        print("So many at once need --force: look at the clock first.")
    return 0


def _line(one: Experience) -> str:
    """One line that names an experience and what it is about."""
    first, _, more = passage(one).partition("\n")
    tags = f"  #{' #'.join(one.tags)}" if one.tags else ""
    return printable(f"experience:{one.id} {first}{' …' if more else ''}{tags}")


def _about(shown: WeightedExperience) -> str:
    one = shown.experience
    how = "confidence" if one.type == PREFERENCE else "success"
    used = f"used {one.uses} time{'' if one.uses == 1 else 's'}"
    return f"{one.type}, {how} {one.success:.2f}, weight {shown.weight:.2f}, {used}"


def _shortened(one: Experience) -> str:
    told = on_one_line(one)
    return printable(told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…")
