"""What belongs to whom, and what is private, is judged as it was when the judgements were kept.

Rules about names, paths, tags and headings are many small conditions, and each decides who sees a line. After a
change that is meant, look at what moved, then keep the new judgements: `python -m tests.test_kept_scope`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memoro.errors import QueryError
from memoro.index.read import read_note
from memoro.model.agents import HOST_NAMES, allies_of
from memoro.model.answers import Where
from memoro.model.belonging import (
    belonging_of,
    known_project,
    link_names,
    link_target,
    names_project,
    projects_of_home,
    words_of,
)
from memoro.model.memories import Memory
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Rules
from memoro.model.personal_names import is_family, is_people_tag, is_personal_name, is_sensitive_title, plain
from memoro.model.privacy import (
    any_private_tag,
    fields_say_private,
    is_hidden,
    item_is_private,
    line_is_private,
    message_is_private,
    note_privacy,
    private_lines,
    tagged_lines,
)
from memoro.model.projects import belongs, means, name_patterns, remote_name, short_name, tag_name
from memoro.model.scope import Scope
from memoro.model.vocabulary import Tier
from memoro.search.filters import bound_by, filters, held_at, scope_of, where_of
from memoro.search.retrieve import usable
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex
from memoro.unasked.admission import Admission, AdmissionRules
from memoro.vault.daily_lines import lines_that, of_project_test, project_of_line, tagged, without_foreign
from tests.kept import check_kept, read_kept, write_kept

KEPT = Path(__file__).parent / "data" / "kept_scope.json"
TODAY = date(2026, 3, 5)
RULES = Rules(tokens=400, overlap=80, daily_folder="daily")

# Privacy

PATHS = (
    "Plan.md", "Work/Plan.md", "Health/Plan.md", "Work/Health/Plan.md", "Health/Work/Plan.md",
    "03 Gesundheit/Plan.md",
    "Areas/Home & Family/Plan.md", "Private/Plan.md", "Confidential/Plan.md", "Team/secret/Plan.md", "health.md",
    "People/Plan.md", "Work/People/Plan.md", "Personen/Plan.md", "Secret.md", "Santé/Plan.md", "only-me/Plan.md",
)  # fmt: skip
FIELDS: tuple[dict[str, object], ...] = (
    {}, {"private": "true"}, {"private": "false"}, {"private": "no"}, {"private": ""}, {"privat": "ja"},
    {"private": ["false", "true"]}, {"private": ["false"]}, {"private": 1}, {"secret": "0"}, {"secret": "maybe"},
    {"visibility": "private"}, {"visibility": "team"}, {"visibility": "team, family"}, {"access": "Me"},
    {"status": "hidden"}, {"status": "draft"}, {"sichtbarkeit": "niemand; privat"}, {"visibilité": "privé"},
    {"share": "no"}, {"share": "yes"}, {"shared": "off"}, {"shared": "true"}, {"sharing": "no"}, {"share": "nobody"},
    {"tags": "work, private"}, {"tags": ["work", ["private"]]}, {"tag": "#secret"}, {"tag": "privacy"},
    {"tags": "area/private/money"}, {"tags": "health"}, {"tags": "#area/health"}, {"tag": "people"},
    {"tags": ["person"]}, {"tags": "work/contacts"}, {"tags": "peoples"}, {"personal": "yes"}, {"personal": "no"},
    {"personal": "x"}, {"relation": "brother"}, {"relation": "colleague"}, {"tags": "people", "relation": "sister"},
    {"tag": "people", "relationship": "my aunt"}, {"tags": "people", "beziehung": "Tante"},
    {"tags": "people", "relation": "manager"}, {"keywords": "private"}, {"tags": "people", "relative": "sister"},
)  # fmt: skip
TITLES = (
    "Plan", "Salary", "02 Gehalt", "Salary service", "Oma", "Mother", "Marco", "Marco & Mother", "Passwords",
    "Paying",
)  # fmt: skip
BODIES: tuple[tuple[str, ...], ...] = (
    (),
    ("# Marco", "", "Brother. Visits on Saturdays."),
    ("Brother of Tom, backend.",),
    ("One.", "Two.", "Three.", "Four.", "Five.", "My brother."),
    ("One.", "Two.", "Three.", "Four.", "Five.", "Six.", "My brother."),
    ("# My brother", "Backend team."),
    ("  # My brother", "Backend team."),
    ("Partner at Deloitte.",),
    ("Partner.",),
    ("Met at my partner's party.",),
    ("Diagnosed in May.",),
    ("Undiagnosed in May.",),
    ("role: older sister",),
    ("Ex-husband, lawyer.",),
    ("Nossa avó.",),
)
NOTES = (
    "# Team\nDaily at nine.\n## Pay (confidential)\nAnna 70\n### Bonus\nBen 5\n## Tools\n- one\n- two, tell nobody\n"
    "  deeper\n\n  deeper still\n- three\n",
    "Keep this between us.\nText.\n# One\nText.\n# Two\nText.\n",
    "# One\nText.\n## Two\nKeep this between us.\n## Three\nText.\n# Four\nText.\n",
    "# One\n#private\nText.\n# Two\ntags: #work, #secret\nText.\n# Three\nText with #private in it.\nText.\n",
    "# One\n* first #private\n\t* deeper\n* second\n1. third #private\n   text below\n2) fourth\n12. fifth #private\n"
    "text\n",
    "# One\n| a | keep this between us. |\n|---|---|\n| b | c |\n> Keep this between us.\nText.\n",
    "# Private\nText.\n## Below\nText.\n# Open\nText.\n",
    "# One\n  - deep #private\n  - same\n      - deeper\n- outer\n    - inner #private\n   - odd\n",
    "# One\n\t- tab #private\n    four\n\t- tab #private\n     five\n    - four #private\n\ttab\n"
    "   - three #private\n\ttab\twithin\n    - four #private\n\ttab\twithin\n",
    "# One\n`#private` is a tag, see `tell nobody`.\n- `a` tell nobody `b`\n",
    "# One\nNothing here.\n- item # private\n- email#private\n- (#private)\n- ,#secret/x\n",
    "# One\nText.\n# One\n## Two\n#secret\n### Three\nText.\n## Four\nText.",
)
MESSAGES = (
    "Keep this between us.", "private: int count;", "Private.", "```\ntell nobody\n```", "`tell nobody` prints it",
    "a ``` tell nobody ``` b ``` c", "tell nobody ``` x", "Tell nobody. ``` tell nobody ```", "nothing of that kind",
    "x #private", "Off the record: the budget is cut", "a ```x``` tell nobody ```y``` z", "tell `x`nobody",
    "a ```x``` b ```tell nobody```",
)  # fmt: skip
TAGS = (
    "private", "Private", "#private", "work", "work/private", "private/money", "privacy", "geheim", "vertraulich/x",
    "nur-für-mich", "Privé", "",
)  # fmt: skip
HIDDEN = (
    ("Health",), ("health/",), ("Plan.md",), ("People/*",), ("*.md",), ("#money",), ("#Money/",), ("#",), ("Heal",),
    ("Work", "#tax"), (),
)  # fmt: skip


def headings_of(lines: Sequence[str]) -> list[tuple[int, int, str]]:
    return [
        (number, len(line) - len(line.lstrip("#")), line.lstrip("# "))
        for number, line in enumerate(lines, 1)
        if line.startswith("#") and line.lstrip("#").startswith(" ")
    ]


def of_notes() -> Iterator[list[Any]]:
    for path in PATHS:
        found = {f"{fields}": note_privacy(path, fields, "Plan", ("Sister.",)) for fields in FIELDS}
        yield [path, {key: value for key, value in found.items() if value != "open"}]
    for title in TITLES:
        yield [title, [note_privacy(f"{place}/x.md", {}, title, BODIES[7]) for place in ("Work", "People", "Home")]]
    for body in BODIES:
        yield [body, note_privacy("People/Marco.md", {}, "Marco", body), is_family("Marco", tuple(body))]
    yield ["fields", [f"{fields}" for fields in FIELDS if fields_say_private(fields)]]


def of_lines() -> Iterator[list[Any]]:
    for text in NOTES:
        lines = text.split("\n")
        headings = headings_of(lines)
        found = [
            sorted(private_lines(lines, headings, skip, whole_sections=whole))
            for whole in (True, False)
            for skip in ((), (2, 4, 9))
        ]
        yield [text, *found, sorted(tagged_lines(lines, ())), sorted(tagged_lines(lines, (2,)))]
    for text in MESSAGES:
        yield [text, line_is_private(text), message_is_private(text), item_is_private(text, ("Work",))]
    for tag in TAGS:
        yield [tag, any_private_tag([tag]), item_is_private("x", (tag,)), is_people_tag(tag), is_personal_name(tag)]
    for patterns in HIDDEN:
        places = [path for path in PATHS if is_hidden(path, (), patterns)]
        yield [
            patterns,
            places,
            [tag for tag in ("money", "Money/tax", "moneys", "tax") if is_hidden("x.md", (tag,), patterns)],
        ]


# Projects

PROJECTS = (
    "github.com/acme/harbor", "~/src/harbor", "/srv/harbor/", "harbor", "harbor/", "Harbor", "parcel-wise",
    "parcel wise",
    "github.com/acme/parcel_wise", "gitlab.com/group/sub/api", "~/work", "blog", "~/src/blog", "42", "acme/harbor",
    "~/src/my.app", "github.com/acme/123", "github.com/ärzte/Praxis", "x-", "/", "~/src/ab", "~/src/abc",
    "~/src/abcd", "~/src/notes", "~/src/日程",
)  # fmt: skip
URLS = (
    "git@github.com:acme/api.git", "ssh://git@GitHub.com:22/acme/api.git", "https://ada:token@github.com/acme/api/",
    "https://github.com/acme/api?x=1", "https://github.com/", "https:///acme", "git@host:", "host:path/to/it",
    "file:///srv/api.git", "FILE:///srv/api", "file://nas/srv/api.git", "/srv/git/api", "C://x",
    "http://h//a///b.git", "git://h/a.git.git",
    "me@host:~/api", "svn+ssh://u@h:2/p",
)  # fmt: skip
OWN = ("github.com/acme/harbor", ("~/src/harbor", "~/old/pier board"))
OTHERS = (
    "~/src/lantern", "~/src/blog", "~/work", "harbor", "~/x/Harbor", "~/src/lantern", "~/z/pier-board", "~/src/ab",
    "~/src/abc", "~/src/abcd", "gitlab.com/zeta/fern-ledger", "acme/notes", "github.com/zeta/notes",
)  # fmt: skip
CONTAINER = "github.com/acme/notes"  # a name that says nothing where it is that of a folder
FILES = (
    "Harbor.md", "Work/Plan.md", "harbor/Plan.md", "Lantern/Plan.md", "Work/01 Lantern/Plan.md", "Blog/Plan.md",
    "Work/Blog.md", "Work/Blog ideas.md", "Work/Harbor ideas.md", "Work/old Lantern ideas.md", "People/Plan.md",
    "work/Plan.md", "Work/ab.md", "Work/ab cd.md", "Fern Ledger/Plan.md", "Work/fern.md", "Pier_Board.md",
    "Work/harbor.txt", "Work/HARBOR.MD",
)  # fmt: skip
ABOUT: tuple[dict[str, Any], ...] = (
    {}, {"project": "harbor"}, {"project": "lantern"}, {"project": "github.com/acme/harbor"},
    {"project": "~/q/Pier Board"},
    {"tags": ("project/harbor",)}, {"tags": ("project/acme/harbor",)}, {"tags": ("project/lantern",)},
    {"tags": ("work/harbor",)}, {"tags": ("lantern",)}, {"tags": ("blog",)}, {"tags": ("project/blog",)},
    {"tags": ("harbormaster",)}, {"tags": ("lantern", "harbor")}, {"aliases": ("Harbor",)},
    {"aliases": ("The lantern of all",)},
    {"aliases": ("Harbours",)}, {"links": ("harbor",)}, {"links": ("Work/Lantern.md",)},
    {"links": ("harbor", "lantern")},
    {"links": ("blog",)}, {"links": ("other",)},
)  # fmt: skip
LINKED = (
    (),
    ("github.com/acme/harbor",),
    ("~/src/lantern",),
    ("github.com/acme/harbor", "~/src/lantern"),
    ("~/none",),
)
LINES = (
    "- harbor: crane", "harbor", "- the harbor is open", "- harbors", "- see [[harbor]]", "- see [[Harbor|it]]",
    "- see [[harbor#cranes]]", "- done #harbor", "- done #work/harbor", "- done #project/harbor",
    "- done #project/acme/harbor ^abc", "- done #project/zeta/harbor", "#project/harbor", "- blog: theme",
    "- her blog",
    "- see [[blog]]", "# Blog", "- lunch: harbor", "- lunch", "- pier board", "- Pier-Board: set", "- pierboard",
    "- x #project/lantern", "- x #project/lantern and more", "- x #PROJECT/Harbor/ ", "- x#project/harbor",
    "- x #project/", "12:00 harbor: x", "- fern ledger", "- ab: x", "- the ab", "- the abc", "- the abcd",
    "- x #notes", "- x #project/acme/notes", "- x #project/notes/y", "- blog and harbor", "",
)  # fmt: skip
DAY = (
    "- clinic\n- ports moved #project/acme/harbor\n- wicks cut #project/lantern\n- Harbor: crane two\n\n## harbor\n"
    "- masts counted\n- ropes #project/lantern\n## Evening\n- soup\n#tag only\n### Lantern\n- x\n- harbor again\n"
    "  and harbor deeper"
)


def of_names() -> Iterator[list[Any]]:
    for name in PROJECTS:
        known = known_project(name, ("~/else/thing",) if name == "harbor" else ())
        patterns = name_patterns(name)
        meant = [other for other in PROJECTS if belongs(other, patterns)]
        yield [name, short_name(name), tag_name(name), patterns, meant, known.spelled, known.shown, known.patterns]
    for name in ("01 Big thing", "Big_Thing", "3d-print", "2026", "--", "Ünit é"):
        yield [name, words_of(name), plain(name), is_sensitive_title(name)]
    for url in URLS:
        yield [url, remote_name(url)]
    for pattern in ("*/harbor", "harbor", "HARBOR", "Ärzte", "*"):
        yield [pattern, [name for name in (*PROJECTS, "ärzte", "Ärzte") if means(pattern, name)]]
    for home in (projects_of_home(*OWN, OTHERS), projects_of_home(CONTAINER, (), OTHERS)):
        yield ["home", [[one.name, one.spelled] for one in home.others], home.own and home.own.patterns]
    yield ["agents", {name: allies_of(name) for name in (None, "", "codex", "bob")}, sorted(HOST_NAMES)]


def of_files() -> Iterator[list[Any]]:
    home, container = projects_of_home(*OWN, OTHERS), projects_of_home(CONTAINER, (), OTHERS)
    for path in FILES:
        title = path.rpartition("/")[2].rpartition(".")[0]
        for linked in LINKED if path in FILES[1:3] or path == "People/Plan.md" else LINKED[:1]:
            found = [belonging_of(path, Note(title, **about), home, linked) for about in ABOUT]
            yield [path, linked, [f"{one.kind} {one.project or ''}".strip() for one in found]]
    for tags in (("notes",), ("project/notes",), ("project/acme/notes",), ("project/zeta/notes",), ("acme/notes",)):
        yield [tags, belonging_of("Notes/Plan.md", Note("Plan", tags=tags), container)]
    yield ["none", belonging_of("Harbor.md", Note("Harbor"), projects_of_home(None, (), ["~/src/harbor"]))]
    for link in ("Work/Plan.md", "Plan", "Ärzte ", "a/b.MD"):
        yield [link, link_target(link), sorted(link_names(f"x/{link}", Note(" Title", aliases=("Other",))))]


def of_days() -> Iterator[list[Any]]:
    own = [
        known_project(name)
        for name in (
            "github.com/acme/harbor",
            "~/src/blog",
            "~/src/ab",
            "~/src/abc",
            "~/src/abcd",
            CONTAINER,
            "pier-board",
        )
    ]
    patterns = name_patterns("github.com/acme/harbor")
    for line in LINES:
        named = [one.shown for one in own if names_project(line, one)]
        yield [line, project_of_line(line), named, tagged(line, None), tagged(line, "~/src/ab"),
               without_foreign([line], patterns, "-")]  # fmt: skip
    for one in own:
        for under in (False, True):
            yield [one.name, under, lines_that(DAY.split("\n"), of_project_test(one, is_under=under))]


# Sessions

SCOPES = (
    Scope(), Scope(agent="bob"), Scope(agent="codex", allies=allies_of("codex")),
    Scope(project="github.com/acme/api"),
    Scope(agent="bob", project="api", known_as=("~/src/service",)), Scope(paths=("memory:3", "Work")),
    Scope(tiers=("daily",)),
    Scope(tags=("deploy",)), Scope(agent="bob", project="web", private=False, hidden=("Health", "#x")),
    Scope(private=False), Scope(allies=("codex",), hidden=("Health",)),
    Scope(paths=("Work",), tags=("deploy", "ops")),
)  # fmt: skip
OWNERS = ((None, None), ("bob", None), ("alice", None), (None, "api"), ("bob", "web"), ("claude", "acme/api"))
MEMORIES = tuple(
    Memory(number, "x", "user", "user_confirmed", "2026-01-01T00:00:00.000Z", tags, agent=agent, project=project)
    for number, (tags, (agent, project)) in enumerate(
        [((), OWNERS[0]), (("Deploy",), OWNERS[0]), (("deploy/fast",), OWNERS[1]), (("deployed",), OWNERS[0]),
         ((), OWNERS[2]), (("ops",), OWNERS[3]), ((), OWNERS[4]), ((), OWNERS[5])], 1,
    )
)  # fmt: skip
FILTERS: tuple[dict[str, Any], ...] = (
    {}, {"path": "./Work"}, {"path": ["./a.md", "b"]}, {"tag": "#Work/"}, {"tag": ["a", "#b"]}, {"kind": "notes"},
    {"kind": ["note", "memory"]}, {"tier": "daily"}, {"tier": "nothing"}, {"agent": "bob"},
    {"agent": ["bob", "codex"]},
    {"project": "api"}, {"project": ["api", "web"]}, {"since": "yesterday"}, {"until": "last week"},
    {"since": "2026-02", "until": "2026-01"}, {"since": "2026-02", "until": "2026-02"}, {"shared": True},
    {"path": "archive"}, {"path": ["archive/", "Work"]}, {"path": "archive/x.md"}, {"path": "agent/archive"},
    {"colour": "red"},
)  # fmt: skip


def refused(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except (QueryError, TypeError) as error:
        return f"{error}"


def shown(value: Scope | Where) -> dict[str, Any]:
    """A value without what it has by default, so that a line tells what is special about it."""
    usual = type(value)()._asdict()
    return {key: one for key, one in value._asdict().items() if one != usual[key]}


def of_sessions() -> Iterator[list[Any]]:
    for scope in SCOPES:
        refusals = [scope.refusal("It", *whose, change=n % 2 == 0) for n, whose in enumerate(OWNERS)]
        seen = [one.id for one in MEMORIES if scope.admits(one)]
        yield [shown(scope), scope.projects, refusals, seen, shown(scope.recorded()), shown(where_of(scope))]
        yield [[shown(scope.beyond(other)) for other in SCOPES[:5]]]
        yield [[shown(scope.with_privacy_of(other)) for other in SCOPES[8:]]]
        yield [[refused(lambda one=where, by=scope: shown(bound_by(by, one))) for where in  # type: ignore[misc]
                (Where(), Where(agents=("bob",)), Where(agents=("claude",)), Where(projects=("api",)),
                 Where(agents=("alice",), projects=("web", "api")))]]  # fmt: skip
    for options in FILTERS:

        def made(options: dict[str, Any] = options) -> Any:
            return filters(today=lambda: TODAY, **options)

        yield [options, refused(lambda: shown(made())), refused(lambda: shown(scope_of(made())))]
    yield [list(held_at("last month", TODAY)), list(held_at("2026-01-03", TODAY))]


# What may be given

ADMITTED: tuple[tuple[str, Tier, str], ...] = (
    ("Work/harbor.md", "note", "# harbor\n[[Cranes]], [[Shared]]"),
    ("lantern.md", "note", "# Lantern\n[[Wicks]], [[Rui]], [[Shared]], [[Work/Deep.md]]"),
    ("blog.md", "note", "# blog\n[[Post]]"),
    ("Cranes.md", "note", "Tall."), ("Wicks.md", "note", "Short."), ("Shared.md", "note", "Both."),
    ("Work/Deep.md", "note", "Deep."), ("Post.md", "note", "Post."), ("People/Rui.md", "note", "Of the team."),
    ("Recipes/Soup.md", "note", "Leek."), ("Reading.md", "note", "# Reading\n## Health\nPressure.\n## Books\nOne."),
    ("Work/Lines.md", "note", "One.\n- two #project/lantern\n- three #project/harbor\n\nfour"),
    ("Work/Foreign.md", "note", "- two #project/lantern\n- three #project/lantern"),
    ("MEMORY.md", "semantic", "# Memory\n\n- one #project/lantern\n- two #PROJECT/harbor\n- three\n"),
    ("PROCEDURAL.md", "procedural", "- one #project/lantern\n- two #project/blog\n"),
    ("Work/Own lines.md", "note", "One.\n\n- two #project/harbor\n"), ("Work/Harbor title.md", "note", "# Harbor\n"),
    ("PINNED.md", "pinned", "- pinned, keep this between us.\n"),
    ("skills/deploy.md", "skill", "Steps for lantern.\n- x #project/lantern"),
    ("episodes/a.md", "episodic", "---\nproject: harbor\n---\nA session."),
    ("episodes/b.md", "episodic", "A session."),
    ("daily/2026-03-01.md", "daily", DAY), ("daily/2026-03-02.md", "daily", "# harbor\n- under it\n# Other\n- not"),
    ("daily/2026-03-03.md", "daily", "- private thing of harbor #private\n- soup"),
    ("Plans/Sale.md", "note", "Price."), ("Ideas.md", "note", "One. #startup/name"),
)  # fmt: skip
SESSIONS = (
    AdmissionRules(Scope(project="github.com/acme/harbor", known_as=("~/src/harbor",))),
    AdmissionRules(
        Scope(project="github.com/acme/harbor"), projects=("~/src/blog",), hidden=("Plans", "#startup", "@claude")
    ),
    AdmissionRules(Scope(project="~/src/lantern")),
    AdmissionRules(Scope(project="~/notes"), hidden=("Plans",), is_vault=True),
    AdmissionRules(Scope(), hidden=("#startup",)),
)  # fmt: skip


def of_passages() -> Iterator[list[Any]]:
    index = PlainIndex()
    for path, project in (
        ("@claude/h.jsonl", "github.com/acme/harbor"),
        ("@claude/l.jsonl", "~/src/lantern"),
        ("@x/n.jsonl", None),
    ):
        chunk = Chunk(f"User: said in {path}", 1, 1, (), path, speaker="User", date="2026-01-01")
        about = Note("Talk", date="2026-01-01", agent="claude", project=project)
        entry = FileEntry(path, "transcript", digest=path, stamp=None)
        index.apply([Write(Indexed(entry=entry, note=about, day="2026-01-01", chunks=(chunk,)))])
    for path, tier, text in ADMITTED:
        entry = FileEntry(path, tier, digest=path, stamp=None)
        index.apply([Write(read_note(entry, text.encode(), written_on="2026-01-01", rules=RULES)[0])])
    matches = index.look_up([one.chunk for one in index.texts_after(0, 1000)], [])
    found = [match.passage for match in matches]
    for number, rules in enumerate(SESSIONS):
        admission = Admission(rules)
        given = admission(index, found)
        for id, one, passage in zip(admission.judged, found, given, strict=True):
            judged = admission.judged[id]
            lines = passage and [
                passage.start_line,
                passage.end_line,
                passage.text if passage.text != one.text else "all",
            ]
            yield [
                number,
                f"{one.path}:{one.start_line}",
                judged.belonging,
                judged.why,
                lines,
                admission.is_shared(one),
            ]
        yield [number, [list(one) for one in admission.refused]]
        usable_ones = usable(index, matches, Admission(rules))
        yield [number, [[one.chunk, one.passage.start_line, len(one.passage.text)] for one in usable_ones]]
    yield [usable(index, matches, None) == matches]


WAYS: dict[str, Callable[[], Iterator[list[Any]]]] = {
    "notes": of_notes,
    "lines": of_lines,
    "names": of_names,
    "files": of_files,
    "days": of_days,
    "sessions": of_sessions,
    "passages": of_passages,
}


@pytest.mark.parametrize("way", WAYS)
def test_judgements_are_those_that_were_kept(way: str) -> None:
    kept = read_kept(KEPT)[way]
    check_kept([one[:1] for one in kept], list(WAYS[way]()), kept)


if __name__ == "__main__":
    write_kept(KEPT, {way: list(judge()) for way, judge in WAYS.items()})
