"""Which lines of notes, and which words of a person, state a standing rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.current_rules import DatedRule, current
from memoro.model.rule_lines import (
    MOST_TOKENS,
    RuleLine,
    RulePlace,
    is_rule_memory,
    is_settled,
    rule_lines,
    settled_lines,
    states_rules,
)
from memoro.model.standing_rules import may_state_rule, states_rule
from memoro.model.tokens import tokens

SAID = RulePlace(path="@logs/a.jsonl", tier="transcript", speaker="User")
STYLE = RulePlace(path="Work/Style.md", tier="note", title="Style")


def said(text: str) -> list[str]:
    return [rule.text for rule in rule_lines(f"User: {text}", SAID)]


@pytest.mark.parametrize(
    "text",
    [
        "Errors: wrap with context and no panics outside main",
        "Money: integers in minor units, never floats",
        "no mocks of our own code, use the real thing",
        "Strings never in code, always in the localisation files",
        "please don't add packages without asking me first",
        "I hate modals",
        "every text goes through the translator",
        "deploys only before 15:00, never on Fridays",
        "from now on every alert needs a runbook link",
        "we don't do singletons here",
        "And please no pandas in this project, the NAS has 2 GB of memory.",
        "No jQuery in this project, it is too big",
        "for all scripts: plain messages, no tracebacks",
        "Maße immer metrisch, Zoll nur in Klammern",
        "Keine Fristen auf Freitag legen",
        "ich will Typannotationen überall",
        "les tests toujours avec pytest",
        "a partir de agora, commits em inglês",
        "sin modales, por favor",
        "提交信息一律用英文",
        "不要用全局变量",
    ],
)
def test_a_person_lays_down_a_rule_in_few_words(text: str) -> None:
    assert said(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "no idea",
        "no problem, thanks",
        "no problem here, it is green",
        "please no rush",
        "no errors in this project, that was the proxy",
        "we need a new checkout, the old one is slow",
        "which port do we use?",
        "should we never log names?",
        "ok, enough. commit",
        "don't worry",
        "restart the runner",
        "the boiler man comes on Tuesday",
        "ValueError: Input contains NaN",
        "New translation: the crow, 310 pages",
        "I have never been to Oslo",
        "not before the upgrade",
        "all tests pass",
        "still to do: calibrate the scale in the hall, always 2 g too low",
        "Offen ist noch: die alten Rechnungen aus der Tabelle übernehmen",
        "next time: only the index page",
        "yeah that has to go.",
    ],
)
def test_what_is_asked_told_or_pasted_is_no_rule(text: str) -> None:
    assert said(text) == []


def test_agreeing_to_something_by_name_is_a_rule_perhaps() -> None:
    [rule] = rule_lines("User: yes, soft deletes in the database", SAID)
    assert (rule.text, rule.is_sure) == ("soft deletes in the database", False)
    assert said("yes, do that") == []
    assert said("agreed. Parameters of the cloud, no remote state") == ["Parameters of the cloud, no remote state"]


def test_a_rule_comes_with_the_short_words_beside_it_and_without_courtesies() -> None:
    assert said("sqlc. No ORM, ever, please remember that") == ["sqlc. No ORM, ever, please remember that"]
    assert said("good. Errors: no panics outside main") == ["Errors: no panics outside main"]
    assert said("The old server is dying and we move on. Apply only by hand on main.") == [
        "Apply only by hand on main."
    ]


def test_what_an_agent_noted_or_a_person_agreed_to_is_a_rule_perhaps() -> None:
    assert is_settled("User: invoices in blue ink", "User", "Noted.")
    assert not is_settled("User: invoices in blue ink", "User", "Done, they are blue.")
    assert not is_settled("User: which ink for invoices?", "User", "Noted.")
    assert not is_settled("User: see you on Monday", "User", "Noted.")
    assert not is_settled("User: it works. Still open: the invoices in blue ink", "User", "Noted.")
    assert not is_settled("User: tomorrow: invoices in blue ink", "User", "Noted.")
    proposal = "Assistant: Two ways. I'd keep the invoices in one table. It is simpler."
    assert is_settled(proposal, "Assistant", "yes, do that")
    assert not is_settled(proposal, "Assistant", "what about orders?")
    [line] = settled_lines(proposal, "Assistant")
    assert (line.text, line.is_sure) == ("I'd keep the invoices in one table.", False)


def test_an_answer_and_pasted_text_state_no_rule() -> None:
    answer = SAID._replace(speaker="Assistant")
    assert not states_rules("Assistant: Always use tabs.", answer)
    assert said("```\nnever do this\n```") == []
    assert said("Always use tabs. " * 200) == []


def test_every_line_under_a_title_about_rules_is_one() -> None:
    text = (
        "# Style\n\n- Shell: set -euo pipefail\n- YAML: two spaces,\n  no anchors\n- [ ] tidy up\n\n```\ncode\n```\n"
    )
    lines = rule_lines(text, STYLE)
    assert [(one.label, one.text, one.offset) for one in lines] == [
        ("Shell", "Shell: set -euo pipefail", 2),
        ("YAML", "YAML: two spaces, no anchors", 3),
    ]


@pytest.mark.parametrize(
    ("path", "title", "headings"),
    [
        ("CONTRIBUTING.md", "Contributing", ()),
        ("Arbeit/Stilregeln.md", "Stilregeln", ()),
        ("Lab/Rules.md", "Rules", ()),
        ("Novel/Style sheet.md", "Style sheet", ()),
        ("Work/How we work.md", "How we work", ()),
        ("Trabalho/Regras.md", "Regras", ()),
        ("Game/Pipeline.md", "Pipeline", ("Pipeline", "Conventions")),
    ],
)
def test_folders_titles_and_headings_tell_that_a_note_holds_rules(
    path: str, title: str, headings: tuple[str, ...]
) -> None:
    assert states_rules(
        "- tests beside the module", RulePlace(path=path, tier="note", title=title, headings=headings)
    )


def test_other_notes_rule_only_where_a_short_line_says_so() -> None:
    place = RulePlace(path="Home/Cake.md", tier="note", title="Cake")
    assert not states_rules("- six eggs\n- bake for an hour", place)
    assert states_rules("- Never open the oven.", place)
    assert not states_rules("- Decided: never open the oven.", place._replace(tier="episodic"))


def test_a_memory_rules_by_its_words_or_by_its_tag() -> None:
    assert is_rule_memory("Paul is allergic to nuts", [])
    assert is_rule_memory("Invoices on the third", ["Rule"])
    assert not is_rule_memory("The staging cluster is called falke", ["infra"])


def test_the_newer_of_two_rules_holds() -> None:
    def held(*rules: tuple[str, str]) -> list[int]:
        lines = [DatedRule(line, day, said=True) for text, day in rules for line in rule_lines(f"User: {text}", SAID)]
        assert len(lines) == len(rules)
        return current(lines)

    assert held(("always use npm for packages", "2026-01-01"), ("pnpm instead of npm from now on", "2026-02-01")) == [
        1
    ]
    assert held(("pnpm instead of npm from now on", "2026-02-01"), ("always use npm for packages", "2026-03-01")) == [
        0,
        1,
    ]
    assert held(("Commits: past tense, short", "2026-01-01"), ("Commits: imperative only", "2026-02-01")) == [1]
    assert held(("no mocks in tests", "2026-01-01"), ("no snapshots in tests", "2026-02-01")) == [0, 1]


def test_not_doing_something_ends_no_other_rule() -> None:
    rules = [
        DatedRule(RuleLine("SQL: small letters, no wildcards in the mart"), "2026-01-01"),
        DatedRule(RuleLine("Corrections go to a table of their own, not to the mart"), "2026-02-01", said=True),
    ]
    assert current(rules) == [0, 1]


def test_saying_a_rule_again_counts_only_among_those_that_are_wanted() -> None:
    rules = [
        DatedRule(RuleLine("Shell: pipefail, shellcheck clean"), "2026-01-01"),
        DatedRule(RuleLine("Shell scripts with pipefail and shellcheck, clean as ever"), "2026-02-01"),
    ]
    assert current(rules) == [1]
    assert current(rules, [0]) == [0]


@given(st.text(max_size=400), st.sampled_from([SAID, STYLE, STYLE._replace(path="Home/x.md", title="x")]))
def test_any_text_has_rules_of_at_most_so_many_tokens(text: str, place: RulePlace) -> None:
    lines = rule_lines(text, place)
    assert states_rules(text, place) == bool(lines)
    for line in lines:
        assert 0 < tokens(line.text) <= MOST_TOKENS
        assert 0 <= line.offset <= text.count("\n")


@given(st.lists(st.tuples(st.text(max_size=40), st.sampled_from(["", "2026-01-01", "2026-05-05"])), max_size=8))
def test_the_newest_of_any_rules_always_holds(rules: list[tuple[str, str]]) -> None:
    dated = [DatedRule(RuleLine(text), day) for text, day in rules]
    held = current(dated)
    assert held == sorted(set(held))
    assert bool(held) == bool(rules)
    if rules:
        assert max(day for _, day in rules) in {dated[place].date for place in held}


_RULE_WORDS = """
    i we you must should not no, never always only use treat keep from now today on in all every each the my future,
    by default as a rule when if time ask say remember that note make sure mind do don't ever, ever need needs want
    like love books please have to for person mir ist wichtig ab sofort ich mag nur möchte nie immer.
"""
_rule_words = st.sampled_from(_RULE_WORDS.split())


@pytest.mark.parametrize(
    "sentence",
    [
        "You must not push to main",
        "no mocks, ever",
        "from now on English",
        "in the future, ask first",
        "tabs by default",
        "as a rule we deploy on Mondays",
        "whenever you translate, keep the names",
        "every time I ask, answer in German",
        "note that Anna is away on Fridays",
        "make sure the lights are off",
        "don't ever merge this",
        "only use metric units",
        "keep every receipt",
        "use spaces in all files",
        "we use uv for every project",
        "each invoice needs a number",
        "we do not eat meat",
        "I want my coffee black",
        "I love French films",
        "ab sofort nur Deutsch",
        "ich mag kein Gluten",
        "ich möchte nie Werbung",
        "mir ist lieber kurz",
    ],
)
def test_every_form_of_a_rule_is_known_wherever_it_stands(sentence: str) -> None:
    assert states_rule(sentence)
    first, last = sentence.rsplit(" ", 1)
    assert may_state_rule(f"# Plan\n\n- six eggs\n- {first}\n  {last}\n")


@given(st.lists(_rule_words, min_size=1, max_size=8), st.lists(_rule_words, max_size=5))
def test_a_text_that_may_state_no_rule_holds_none(words: list[str], others: list[str]) -> None:
    sentence = " ".join(words)
    if states_rule(sentence):
        assert may_state_rule(f"* {' '.join(others)}\n* {sentence}")
