"""Which rules a task touches, by the matters of both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.code_languages import LANGUAGES, languages_in
from memoro.model.rule_lines import RuleLine, RulePlace, rule_lines
from memoro.model.rule_matching import languages_of, needs_languages, touched
from memoro.model.task_reading import read_task
from memoro.model.task_topics import broad_topics, broader_than, software_topics, topics_of

NOTE = """# Style
- Go: table tests, errors with context
- Shell: set -euo pipefail, shellcheck clean
- Pull requests: small, with a test plan
- Forms: errors below the field
- Colours: from the palette only
- Invoices: always with the order number
- Presents: nothing with batteries
- Slides: one idea, one picture
- E-mails: short, with a question at the end
- Migrations: one change each, with a way back
"""
RULES = rule_lines(NOTE, RulePlace(path="Style.md", tier="note", title="Style"))


def given_for(task: str, languages: frozenset[str] = frozenset()) -> list[str]:
    return [RULES[one.number].label for one in touched(task, RULES, languages)]


@pytest.mark.parametrize(
    ("task", "label"),
    [
        ("write a small script that rotates the logs", "Shell"),
        ("open a merge request for this branch", "Pull requests"),
        ("build the sign-up form", "Forms"),
        ("make the banner red", "Colours"),
        ("create the bill for March as an invoice", "Invoices"),
        ("suggest a birthday gift for my nephew", "Presents"),
        ("make a presentation about waves", "Slides"),
        ("draft an e-mail to the landlord", "E-mails"),
        ("add a column to the customers table", "Migrations"),
        ("Erstelle die Rechnung für November", "Invoices"),
        ("Mach eine Präsentation über Wellen", "Slides"),
    ],
)
def test_a_task_touches_the_rule_about_what_it_makes(task: str, label: str) -> None:
    assert given_for(task)[:1] == [label]


@pytest.mark.parametrize(
    "task",
    [
        "explain what a service worker does",
        "what is the capital of Mongolia",
        "find out which of our forms loads slowest",
        "plant the tulips along the wall",
        "write a haiku about autumn",
        "",
    ],
)
def test_a_task_that_touches_no_rule_is_given_none(task: str) -> None:
    assert given_for(task) == []


def test_a_rule_for_a_language_holds_for_code_of_a_project_in_that_language() -> None:
    task = "implement a parser for the statements"
    assert needs_languages(task, RULES)
    assert given_for(task, frozenset(["go"])) == ["Go"]
    assert given_for(task, frozenset(["python"])) == []
    assert given_for("implement a parser in golang", frozenset(["python"])) == ["Go"]
    assert not needs_languages("implement it in Rust", RULES)
    assert languages_of(RULES) == {"go"}


def test_a_rule_for_all_work_holds_for_whatever_is_made() -> None:
    [rule] = rule_lines(
        "User: One rule for all our work: never rewrite my sentences unless I ask.",
        RulePlace(path="", tier="transcript", speaker="User"),
    )
    assert [one.why for one in touched("make the first page tighter", [rule])] == ["all work"]
    assert touched("explain the plot to me", [rule]) == []


def test_a_rule_in_a_note_about_something_else_needs_more() -> None:
    text = "- short paragraphs, no jargon"
    blog, law = (
        rule_lines(text, RulePlace(path=f"{folder}/Style.md", tier="note", title="Style"))
        for folder in ("Blog", "Law")
    )
    task = "write the first paragraph of the blog post"
    assert touched(task, [*blog])[0].score > touched(task, [*law])[0].score


def test_a_rule_about_a_manner_holds_for_all_that_is_made_of_its_kind() -> None:
    styles = [RuleLine("Tailwind only, no inline styles"), RuleLine("Comments: why, not what", "Comments")]
    assert [one.number for one in touched("add a settings page", styles)] == [0, 1]
    assert [one.number for one in touched("implement the parser", styles)] == [1]
    assert touched("book the dentist", styles) == []


def test_languages_are_told_by_files_fences_and_names() -> None:
    texts = ["changed internal/post/post.go", "see `main.go:12`", "```go\nx := 1\n```", "we go on", "e.g. this"]
    assert languages_in(texts) == {"go"}
    assert languages_in(["A service in Go with a Python script", "app.py"]) == {"go", "python"}
    assert languages_in(["nothing is said here. R and C are letters"]) == frozenset()


def test_what_a_task_makes_stands_before_what_it_is_for() -> None:
    reading = read_task("make the plot for the paper")
    assert "figure" in reading.head and "paper" in reading.topics - reading.head
    assert reading.makes and not read_task("commit the footer").makes
    assert read_task("add a column and show it on the invoice").head >= {"migration", "invoice"}
    assert "code" in read_task("build the settings page").made
    assert not read_task("how do we translate this word?").makes
    assert read_task("when a guest cancels, tell the owner. implement that").makes


@pytest.mark.parametrize(
    ("task", "rule"),
    [
        ("ajoute un formulaire d'inscription", "Formulaires : pas de popups"),
        ("escribe el correo para el cliente", "Correos: breves, sin emojis"),
        ("escreva a consulta que lista as contas", "Banco de dados: sem ORM"),
        ("给登录接口写单元测试", "测试：不要用快照"),
        ("提交这次修改", "提交信息一律用英文"),
    ],
)
def test_tasks_and_rules_of_other_languages_meet(task: str, rule: str) -> None:
    assert touched(task, [RuleLine(rule)])


@pytest.mark.parametrize(
    ("rule", "task"),
    [
        (
            "And please no pandas in this project, the NAS has 2 GB of memory.",
            "Write a script that computes the average fat value per cow",
        ),
        ("Please no pandas here.", "Write a Python script that reads the CSV and prints a table of means"),
        ("Always use pytest, never unittest.", "write tests for the timetable"),
        ("Never use requests here, we have httpx.", "fetch the exchange rates from the bank"),
        ("no bootstrap, please", "restyle the login page"),
        ("No moment.js, please.", "show the dates in the list as 3 days ago"),
        ("no openpyxl, ever", "read the xlsx of the vet"),
        ("From now on no matplotlib, please.", "draw a chart of the temperatures"),
        ("Don't ever use BeautifulSoup here.", "scrape the opening hours from the site"),
    ],
)
def test_a_rule_about_a_tool_is_for_tasks_of_the_kind_that_the_tool_is_for(rule: str, task: str) -> None:
    said = rule_lines(f"User: {rule}", RulePlace(path="@c.jsonl", tier="semantic", speaker="User"))
    assert [one.number for one in touched(task, said)] == [0]
    assert not touched("fix the typo in the letter to the landlord", said)


def test_a_phrase_is_read_before_its_words() -> None:
    assert "review" in topics_of("the merge request") and "api" not in topics_of("the merge request")


def test_every_language_and_every_broader_topic_is_a_topic() -> None:
    everything = frozenset().union(*map(topics_of, ["code"])) | software_topics()
    assert everything >= LANGUAGES
    assert broader_than(LANGUAGES) >= {"code"} and broad_topics() >= {"code", "prose"}


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=6))
def test_any_task_and_any_rules_are_compared(task: str, texts: list[str]) -> None:
    rules = [RuleLine(text) for text in texts]
    found = touched(task, rules)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0.5 <= one.score <= 1 and one.why for one in found)
    assert len({one.number for one in found}) == len(found)


@given(st.sampled_from(RULES), st.text(alphabet="abcdefgh ", max_size=30))
def test_more_rules_never_hide_one_that_is_named_by_its_label(rule: RuleLine, other: str) -> None:
    task = f"make new {rule.label.lower()}"
    alone = touched(task, [rule])
    among = touched(task, [RuleLine(other), rule])
    assert bool(alone) <= any(one.number == 1 for one in among)
