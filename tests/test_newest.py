"""Searches in which the newest statement leads and older ones say what replaced them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import memoro
from memoro import documents
from memoro.cli.explain import account
from memoro.mcp import render
from memoro.model.answers import Hit
from memoro.model.replaced import mark
from memoro.workspace import Workspace
from tests.conftest import write_vault

ANNA = "# Anna Berg\n\n- Anna Berg lives in Lisbon.\n\n## 2025-04-03\n\n- Anna Berg moved to Ghent.\n"
DAY = "# 2025-11-03\n\n- 09:15 Anna Berg left Ghent for Porto.\n"


def opened(tmp_path: Path, notes: dict[str, str]) -> Workspace:
    return memoro.open(tmp_path / "home", write_vault(tmp_path / "vault", notes))


def stored(tmp_path: Path, *told: tuple[int, str]) -> Workspace:
    """A home with memories, each told in a month of 2025."""
    now = [datetime(2025, 1, 1, tzinfo=UTC)]
    m = memoro.open(tmp_path / "home", write_vault(tmp_path / "vault", {}), clock=lambda: now[0])
    for month, text in told:
        now[0] = datetime(2025, month, 3, 12, tzinfo=UTC)
        m.memories.store(text, source="user")
    now[0] = datetime(2025, 12, 3, 12, tzinfo=UTC)
    return m


def hits(m: Workspace, query: str) -> tuple[Hit, ...]:
    found = m.search(query).results
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    for hit in found:
        total = hit.explanation.total
        assert total == pytest.approx(sum(part.share for part in hit.explanation.parts), abs=1e-6)
    return found


def test_a_daily_line_leads_before_the_older_lines_of_a_note(tmp_path: Path) -> None:
    with opened(tmp_path, {"people/anna.md": ANNA, "daily/2025-11-03.md": DAY}) as m:
        found = hits(m, "Where does Anna Berg live?")

    assert found[0].path == "daily/2025-11-03.md"
    older = next(hit for hit in found if hit.heading[-1:] == ("2025-04-03",))
    assert older.replaced_by is not None
    assert older.replaced_by.id == found[0].id
    assert mark(older.replaced_by).startswith("older; since 3 Nov 2025: Anna Berg left Ghent for Porto.")


def test_the_newest_memory_leads_and_every_surface_says_so(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "The harbor API listens on 9090."), (6, "The harbor API went from 9090 to 8443.")) as m:
        answer = m.search("What port is the harbor API on?")

    first, second = answer.results
    assert "8443" in first.snippet
    assert first.replaced_by is None
    assert second.replaced_by is not None
    shown = documents.answer(answer, explain=True)["results"]
    assert shown[1]["replaced_by"] == {
        "id": "memory:2",
        "date": "2025-06-03",
        "text": "The harbor API went from 9090 to 8443.",
        "why": "names it",
    }
    assert "replaced_by" not in shown[0]
    assert "older; since 3 Jun 2025" in render.answer(answer)
    assert any(line.startswith("older:") for line in account(second))


def test_a_leader_from_below_takes_the_place_and_the_score(tmp_path: Path) -> None:
    told = [
        (1, "harbor keeps its data in Postgres 15, in the database cluster."),
        (9, "We moved harbor to CockroachDB."),
    ]
    with stored(tmp_path, *told) as m:
        found = hits(m, "Which database keeps the data of harbor?")

    assert "CockroachDB" in found[0].snippet
    assert found[0].score >= found[1].score


def test_a_note_that_says_so_stands_behind_a_current_one_and_alone_is_marked(tmp_path: Path) -> None:
    notes = {
        "old.md": "---\nstatus: superseded\n---\n# Old way\n\nDeploy parcelwise by copying the files with rsync.\n",
        "new.md": "# New way\n\nDeploy parcelwise by starting the pipeline.\n",
        "coffee.md": "---\ndeprecated: true\n---\n# Coffee\n\nThe coffee machine is descaled with vinegar.\n",
    }
    with opened(tmp_path, notes) as m:
        assert [hit.path for hit in hits(m, "deploy parcelwise by copying")][:2] == ["new.md", "old.md"]
        (alone,) = hits(m, "descale the coffee machine with vinegar")

    assert alone.replaced_by is not None
    assert mark(alone.replaced_by) == "marked as superseded"


def test_what_was_done_at_several_times_keeps_its_order(tmp_path: Path) -> None:
    notes = {f"daily/2025-0{month}-03.md": f"- met the architect about the roof {month}\n" for month in (3, 4, 5)}
    with opened(tmp_path, notes) as m:
        found = hits(m, "when did I meet the architect")

    assert all(hit.replaced_by is None for hit in found)


@pytest.mark.parametrize(
    ("old", "new", "is_older"),
    [
        ("I live in Dresden.", "I moved to Leipzig in May.", True),
        ("I live in London.", "I moved to Leeds in May.", True),
        ("I live in Chicago.", "I moved to Denver in May.", True),
        ("I live in Graz.", "I moved to Wels in May.", True),
        ("I live in Graz.", "I moved to Linz.", True),
        ("I live with two cats.", "I moved to Leipzig in May.", False),
        ("Anna lives in Ghent.", "I moved to Leipzig in May.", False),
        ("My office is in Lisbon.", "I moved to Leipzig in May.", False),
        ("I live in Dresden.", "I moved the office to Leipzig in May.", False),
    ],
)
def test_who_moved_has_left_their_home_wherever_that_is(tmp_path: Path, old: str, new: str, is_older: bool) -> None:
    with stored(tmp_path, (2, old), (5, new)) as m:
        found = {
            hit.snippet: hit.replaced_by is not None for hit in m.search("Where do I live?", min_score=0).results
        }

    assert found == {old: is_older, new: False}


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("which port does the admin console listen on?", {"b.md"}),
        ("how do I restart the admin console?", {"a.md", "b.md"}),  # which its other line answers
    ],
)
def test_a_note_of_which_the_answering_line_is_older_is_not_given_unasked(
    tmp_path: Path, question: str, given: set[str]
) -> None:
    march = "# Gateway\n\nThe admin console listens on port 8080.\nRestart it with systemctl restart meterd.\n"
    notes = {
        "a.md": f"---\ndate: 2026-03-04\n---\n{march}",
        "b.md": "---\ndate: 2026-10-04\n---\n# Gateway\n\nThe admin console listens on port 8443 now.\n",
    }
    with opened(tmp_path, notes) as m:
        m.sync()
        assert {item.path for item in m.recall(question, proactive=True).items} == given


def test_what_people_wrote_to_each_other_replaces_nothing(tmp_path: Path) -> None:
    earlier = "I'm a shooting guard for the team, and the season opener is next week. So excited!"
    later = "Yeah, I hurt my knee and had to miss some games of the team. It was no fun."
    notes = {"chat/1.md": f"# Joe, 2025-05-21\n\n{earlier}\n", "chat/2.md": f"# Joe, 2025-12-16\n\n{later}\n"}
    with opened(tmp_path, notes) as m:
        found = hits(m, "What is Joe's position on the team?")

    assert [hit.path for hit in found] == ["chat/1.md", "chat/2.md"]
    assert all(hit.replaced_by is None for hit in found)


@pytest.mark.parametrize("greeting", ["Morning!", "Good morning!", "Hi Claude.", "Guten Morgen!"])
def test_a_memory_that_begins_with_a_greeting_replaces_an_older_one(tmp_path: Path, greeting: str) -> None:
    with stored(tmp_path, (2, "My dentist is Anna Weiss."), (6, f"{greeting} My dentist is Jo Molina now.")) as m:
        assert hits(m, "Who is my dentist?")[0].path == "memory:2"


def test_a_memory_that_asks_after_its_greeting_replaces_nothing(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "My dentist is Anna Weiss."), (6, "Morning! Jo has a dentist. Is he mine?")) as m:
        assert hits(m, "Who is my dentist?")[0].path == "memory:1"


def test_a_list_with_a_question_in_it_still_tells_what_is_newest(tmp_path: Path) -> None:
    day = "# 2025-11-03\n\n- Where did I park? Level 3.\n- Decided with Pia: the harbor API listens on 8443.\n"
    notes = {"harbor.md": "# Harbor\n\nThe harbor API listens on 9090.\n", "daily/2025-11-03.md": day}
    with opened(tmp_path, notes) as m:
        assert hits(m, "What port is the harbor API on?")[0].path == "daily/2025-11-03.md"


def test_context_that_nobody_asked_for_leaves_older_statements_out(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "The harbor API listens on 9090."), (6, "The harbor API went from 9090 to 8443.")) as m:
        asked = m.recall("What port is the harbor API on?").block
        unasked = m.recall("What port is the harbor API on?", proactive=True).block

    assert '"older":"since 2025-06-03: memory:2"' in asked
    assert "listens on 9090" not in unasked
    assert "8443" in unasked


RESTORE = """# Restoring a backup

## Before you start

Stop the worker before you restore the database.

## Restore

Restore the database with pg_restore.

## Afterwards

Start the worker and check the database.
"""


def test_a_later_section_of_a_description_is_not_newer_than_an_earlier_one(tmp_path: Path) -> None:
    with opened(tmp_path, {"howto/restore.md": RESTORE}) as m:
        found = hits(m, "how do I restore the database")

    assert found[0].heading[-1] == "Restore"


@pytest.mark.parametrize(
    ("query", "first"),
    [("who leads atlas", "The lead of Atlas is Marek."), ("what is atlas written in", "Atlas is written in Rust.")],
)
def test_a_new_name_replaces_nothing_but_the_old_name(tmp_path: Path, query: str, first: str) -> None:
    told = [
        (2, "The lead of Atlas is Marek."),
        (2, "Atlas is written in Rust."),
        (6, "We renamed atlas to meridian."),
    ]
    with stored(tmp_path, *told) as m:
        found = hits(m, query)

    assert found[0].snippet == first
    assert [hit.replaced_by for hit in found] == [None] * len(found)


def test_a_new_name_leads_before_the_old_one(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "The staging server is called heron."), (6, "We renamed heron to egret.")) as m:
        found = hits(m, "what is the staging server called")

    assert found[0].snippet == "We renamed heron to egret."


@pytest.mark.parametrize(
    ("query", "older", "newer"),
    [
        ("do I like coffee", "I like coffee.", "I like tea."),
        ("who owns billing", "Eva owns the billing service.", "Marek now owns the search service."),
        ("what is the cat called", "The cat is called Miso.", "The dog is now called Rex."),
        ("memory of frankfurt-1", "frankfurt-1 has 32 GB of memory.", "frankfurt-2 now has 64 GB of memory."),
        ("hmac payment api", "The payment API uses HMAC signatures.", "The payment API keeps its key in Vault."),
    ],
)
def test_something_newer_about_another_thing_neither_leads_nor_replaces(
    tmp_path: Path, query: str, older: str, newer: str
) -> None:
    with stored(tmp_path, (2, older), (6, newer)) as m:
        found = hits(m, query)

    assert found[0].snippet == older
    assert found[0].replaced_by is None


def test_of_two_memories_of_one_day_that_differ_in_one_value_the_later_leads(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "Harbor keeps its data in MySQL."), (2, "Harbor keeps its data in Postgres.")) as m:
        found = hits(m, "which database does Harbor use")

    assert [hit.snippet for hit in found] == ["Harbor keeps its data in Postgres.", "Harbor keeps its data in MySQL."]
    assert found[1].replaced_by is None


def test_a_retraction_replaces_nothing_but_what_it_names(tmp_path: Path) -> None:
    told = [
        (2, "Harbor deploys with Jenkins."),
        (3, "Harbor deploys with Argo."),
        (6, "We no longer use Jenkins for Harbor."),
    ]
    with stored(tmp_path, *told) as m:
        found = {hit.snippet: hit.replaced_by for hit in hits(m, "how does Harbor deploy")}

    assert found["Harbor deploys with Jenkins."] is not None
    assert found["Harbor deploys with Argo."] is None


def test_a_name_after_a_title_is_the_same_value(tmp_path: Path) -> None:
    with stored(
        tmp_path, (2, "The dentist of Eva is Dr. Okafor."), (6, "Dr. Okafor is now the dentist of Eva.")
    ) as m:
        found = hits(m, "who is the dentist of Eva")

    assert [hit.replaced_by for hit in found] == [None, None]


def test_a_name_after_a_title_belongs_to_the_sentence_before_it(tmp_path: Path) -> None:
    told = ((2, "The dentist I see is Dr. Weiss."), (6, "Quick update. My dentist is Dr. Molina."))
    with stored(tmp_path, *told) as m:
        assert hits(m, "Which dentist do I see?")[0].path == "memory:2"


def test_a_block_shows_an_older_statement_behind_the_newer_one(tmp_path: Path) -> None:
    with stored(tmp_path, (2, "The harbor API listens on 9090."), (6, "The harbor API went from 9090 to 8443.")) as m:
        items = m.recall("which port does the harbor API use").items

    assert [item.id for item in items] == ["memory:2", "memory:1"]
    assert items[1].older


def test_something_newer_that_has_no_word_of_the_question_does_not_lead(tmp_path: Path) -> None:
    note = "# Newsletter\n\nSent by Brevo. 1,240 subscribers. Best subject line: *Which rosin for winter?*\n"
    day = (
        "- 09:06 Write a text for the winter sale — Our newsletter goes out on Wednesdays from now on. "
        "I always want the subject line below 50 characters #project/saitenladen\n"
        "- 09:05 [extracted] Our newsletter goes out on Wednesdays from now on. (rule, claude c4:5)\n"
    )
    with opened(tmp_path, {"shop/newsletter.md": note, "daily/2026-11-18.md": day}) as m:
        found = hits(m, "rosin for winter")

    assert found[0].path == "shop/newsletter.md"
    assert all(part.name != "newer" for hit in found for part in hit.explanation.parts)
