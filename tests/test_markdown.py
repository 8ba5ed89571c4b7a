"""What a note says about itself is read as its owner's editor would read it, however hostile the note."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.model.notes import Note
from memoro.vault.frontmatter import MAX_CHARACTERS
from memoro.vault.markdown import MAX_TITLE, Parsed, parse, split_lines


def note(text: str, path: str = "a.md") -> Note:
    return parse(text, path).note


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "text"])


def headings(text: str) -> list[tuple[int, int, str]]:
    return [(heading.line, heading.level, heading.title) for heading in parse(text, "a.md").outline.headings]


def fences(text: str) -> list[tuple[int, int]]:
    return list(parse(text, "a.md").outline.fences)


def is_left_in_the_text(parsed: Parsed) -> bool:
    """Frontmatter that cannot be read is said to be so, and stays findable."""
    return parsed.body == 1 and len(parsed.warnings) == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\nb", ["a", "b"]),
        ("\n", [""]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\n", ["a\rb"]),
        ("a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g\n", ["a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g"]),
    ],
)
def test_a_newline_ends_a_line_and_nothing_else_does(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(text=st.text("a\n\r\u2028\x85 ") | st.text())
def test_there_are_as_many_lines_as_an_editor_counts(text: str) -> None:
    last_is_open = bool(text) and not text.endswith("\n")
    assert len(split_lines(text)) == text.count("\n") + last_is_open


@given(lines=st.lists(st.text("ab \u2028", max_size=5)))
def test_both_kinds_of_line_end_give_the_same_lines(lines: list[str]) -> None:
    unix = "".join(f"{line}\n" for line in lines)
    assert split_lines(unix) == split_lines(unix.replace("\n", "\r\n")) == lines


def test_a_note_with_windows_line_ends_reads_like_any_other() -> None:
    text = front("tags: [tea]", "date: 2026-03-05") + "\n\n# Title\n```\n# code\n```\n"
    assert parse(text.replace("\n", "\r\n"), "a.md") == parse(text, "a.md")


@pytest.mark.parametrize(
    "lines",
    [
        ["tags: [tea, Green]"],
        ["tags:", "  - tea", "  - Green"],
        ["tags:", "- '#tea'", '- "#Green"'],
        ["tags: tea, green"],
        ["tags: tea green"],
        ["Tags: tea green"],
        ["tag: [tea, green]"],
    ],
)
def test_tags_may_be_a_list_or_a_text_with_commas_or_spaces(lines: list[str]) -> None:
    assert note(front(*lines)).tags == ("tea", "green")


@pytest.mark.parametrize(
    "lines",
    [["aliases: [Green tea, Sencha]"], ["aliases:", "  - Green tea", "  - Sencha"], ["alias: Green tea, Sencha"]],
)
def test_aliases_may_hold_spaces(lines: list[str]) -> None:
    assert note(front(*lines)).aliases == ("Green tea", "Sencha")


@pytest.mark.parametrize("field", ["date", "day", "created", "started"])
def test_a_date_is_when_it_happened(field: str) -> None:
    assert note(front(f"{field}: 2026-03-05T10:30:00")).date == "2026-03-05"


def test_the_date_in_a_file_name_goes_first() -> None:
    assert note(front("date: 2020-01-01"), "daily/2026-03-05.md").date == "2026-03-05"


def test_a_date_in_a_folders_name_is_not_the_notes() -> None:
    assert note("text", "2026-03-05/a.md").date is None


@pytest.mark.parametrize("value", ["2026-02-31", "2026-13-01", "next week", "0000-00-00"])
def test_an_impossible_date_is_none_and_its_owner_is_told(value: str) -> None:
    parsed = parse(front(f"date: {value}", "tags: tea"), "a.md")
    assert parsed.note.date is None
    assert parsed.note.tags == ("tea",)
    [warning] = parsed.warnings
    assert value in warning


def test_title_agent_and_project_are_its_own_words() -> None:
    found = note(front("title: Tea", "agent: helper", "project: kitchen"))
    assert (found.title, found.agent, found.project) == ("Tea", "helper", "kitchen")


@pytest.mark.parametrize(
    "lines",
    [
        ["tags: 5", "title: 12", "aliases: true"],
        ["tags: {a: b}", "title: [x]", "date: [2026-03-05]", "aliases: {x: y}"],
        ["tags: null", "title: ~", "date:"],
        ["tags: [[tea], {a: b}]"],
        ["? [a, b]", ": c"],
        ["!!python/object/apply:os.system ['true']"],
        ["tags: !!python/name:os.system"],
        ["date: !!timestamp 2026-02-31"],
        ["n: " + "1" * 5000],
        ["1: 2", "true: false", "~: ~"],
        ["tags: tea", "tags: coffee"],
    ],
)
def test_odd_types_are_no_error(lines: list[str]) -> None:
    parsed = parse(front(*lines), "a.md")
    assert all(isinstance(tag, str) for tag in (*parsed.note.tags, *parsed.note.aliases, parsed.note.title))


def test_frontmatter_is_no_part_of_the_text() -> None:
    assert parse(front("a: b", "c: d"), "a.md").body == 5


@pytest.mark.parametrize("end", ["---", "...", "---  "])
def test_frontmatter_may_be_empty_and_end_in_dots(end: str) -> None:
    parsed = parse(f"---\n{end}\ntext", "a.md")
    assert (parsed.body, parsed.warnings) == (3, ())


@pytest.mark.parametrize(
    "text", ["---\ntags: tea\ntext", "---", "--- \n", "----\ntags: tea\n----\n", " ---\na: b\n---"]
)
def test_without_its_two_fences_it_is_text(text: str) -> None:
    parsed = parse(text, "a.md")
    assert (parsed.body, parsed.note.tags, parsed.warnings) == (1, (), ())


@pytest.mark.parametrize("block", ["- tea\n- green", "just a text", "[a, b]", "'quoted'"])
def test_what_is_not_keys_and_values_stays_in_the_text(block: str) -> None:
    assert is_left_in_the_text(parse(front(block), "a.md"))


@pytest.mark.parametrize(
    "block", ["a: b: c", "a: [", "a: 'x", "\ta: b", "a: *x", "%YAML 9", "a: \x01", "!<", "@a: b"]
)
def test_what_is_not_yaml_stays_in_the_text(block: str) -> None:
    assert is_left_in_the_text(parse(front(block), "a.md"))


@pytest.mark.parametrize(
    "lines",
    [
        ["a: &a [x, x]", "b: &b [*a, *a]", "c: [*b, *b]"],
        ["a: &a [*a]"],
        ["a: &a {<<: *a}"],
    ],
)
def test_aliases_of_yaml_are_refused(lines: list[str]) -> None:
    assert is_left_in_the_text(parse(front(*lines), "a.md"))


@pytest.mark.parametrize(
    "block",
    [
        "[" * 32_768,
        "a: " + "[" * 16_000,
        "a: " + "{" * 16_000,
        "a: " + "{b: " * 4_000,
        "- " * 8_000,
        "? " * 8_000,
        "- ? " * 4_000,
        "# " + "]" * 8_000 + "\na: " + "[" * 8_000,
        "a: " + '["]", ' * 2_600,
        "a: " + '["]",\n' * 2_600,
        "\n".join(" " * depth + "a:" for depth in range(175)),
    ],
    ids=[
        "32 KiB of brackets", "brackets", "braces", "mappings", "lists", "keys", "lists and keys",
        "brackets paid for in advance", "brackets paid for in quotes", "the same on lines", "indentation",
    ],
)  # fmt: skip
def test_deep_nesting_is_refused_at_once(block: str) -> None:
    started = time.process_time()
    assert is_left_in_the_text(parse(front(block), "a.md"))
    assert time.process_time() - started < 0.5


def test_many_lists_beside_each_other_are_not_deep() -> None:
    parsed = parse(front(*(f"k{i}: [a, [b]]" for i in range(200)), "tags: tea"), "a.md")
    assert (parsed.note.tags, parsed.warnings) == (("tea",), ())


def test_a_block_that_is_too_long_stays_in_the_text() -> None:
    line = "tags: tea #"
    fits = line + "x" * (MAX_CHARACTERS - len(line))
    assert note(front(fits)).tags == ("tea",)
    assert is_left_in_the_text(parse(front(fits + "x"), "a.md"))


@pytest.mark.parametrize(
    ("line", "level", "title"),
    [
        ("# Tea", 1, "Tea"),
        ("###### Tea", 6, "Tea"),
        ("   ## Tea", 2, "Tea"),
        ("#\tTea", 1, "Tea"),
        ("## Tea ##", 2, "Tea"),
        ("## Tea ## \t", 2, "Tea"),
        ("# C#", 1, "C#"),
        ("# Tea #1", 1, "Tea #1"),
        ("#", 1, ""),
        ("## ##", 2, ""),
    ],
)
def test_hashes_and_a_space_make_a_heading(line: str, level: int, title: str) -> None:
    assert headings(f"text\n{line}\ntext") == [(2, level, title)]


@pytest.mark.parametrize("line", ["#tea", "####### Tea", "    # Tea", "a # Tea", "\\# Tea", "> # Tea", "- # Tea"])
def test_what_only_looks_like_a_heading_is_none(line: str) -> None:
    assert headings(line) == []


@pytest.mark.parametrize(("rule", "level"), [("===", 1), ("=", 1), ("---", 2), ("--", 2), ("   ----  ", 2)])
def test_an_underlined_line_is_a_heading_at_its_text(rule: str, level: int) -> None:
    assert headings(f"text\n\nTea\n{rule}\ntext") == [(3, level, "Tea")]


@pytest.mark.parametrize(
    "above", ["", "- item", "> quote", "| a | b |", "1. first", "    code", "# Tea", "---", "```\nx\n```", "~~~\n~~~"]
)
def test_a_rule_below_what_is_no_paragraph_underlines_nothing(above: str) -> None:
    found = headings(f"x\n\n{above}\n---\ntext")
    assert found == ([(3, 1, "Tea")] if above == "# Tea" else [])


def test_the_end_of_the_frontmatter_underlines_nothing() -> None:
    assert headings("---\na: b\n---\n---\ntext") == []
    assert headings("---\na: b\n---\n===\ntext") == []


def test_a_title_is_the_first_great_heading_or_the_files_name() -> None:
    assert note("## Small\n# Great\n# Other").title == "Great"
    assert note("## Small", "notes/green tea.md").title == "green tea"
    assert note("# #\n", "tea.md").title == "tea"


@pytest.mark.parametrize("text", ["# {}", "## {} ##", "{}\n===", "{}\n---"])
def test_a_heading_without_end_is_cut(text: str) -> None:
    [(_, _, title)] = headings(text.format("tea " * 50_000))
    assert title.startswith("tea tea")
    assert len(title) <= MAX_TITLE


def test_spaces_in_a_long_heading_take_no_time() -> None:
    started = time.process_time()
    assert headings("# a" + " " * 100_000 + "b")[0][1] == 1
    assert headings("# a" + " #" * 50_000 + "b")[0][1] == 1
    assert time.process_time() - started < 0.5


def test_a_shell_comment_in_a_fence_is_no_heading() -> None:
    text = "# Tea\n```sh\n# brew it\nmake tea\n```\n## Cups\n"
    assert headings(text) == [(1, 1, "Tea"), (6, 2, "Cups")]
    assert fences(text) == [(2, 5)]


def test_an_unclosed_fence_goes_on_to_the_end() -> None:
    text = "# Tea\n```\n# brew it\n\n# more"
    assert headings(text) == [(1, 1, "Tea")]
    assert fences(text) == [(2, 5)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("~~~\n```\n# x\n~~~", [(1, 4)]),
        ("```\n~~~\n# x\n```", [(1, 4)]),
        ("````\n```\n# x\n```\n````", [(1, 5)]),
        ("```\n# x\n`````", [(1, 3)]),
        ("```\n# x\n``` sh\n```", [(1, 4)]),
        ("```\n```\n```\n```", [(1, 2), (3, 4)]),
        ("~~~ `x` ~~~\n# x\n~~~", [(1, 3)]),
        ("  ```\n# x\n  ```", [(1, 3)]),
        ("- ```\n  # x\n  ```", [(1, 3)]),
        ("1. ```sh\n   # x\n   ```", [(1, 3)]),
        ("12) ~~~\n   # x\n   ~~~", [(1, 3)]),
        ("> ```\n> # x\n> ```", [(1, 3)]),
        ("> ```\n> # x\n>```", [(1, 3)]),
        ("> - ```\n>   # x\n>   ```", [(1, 3)]),
    ],
)
def test_a_fence_is_closed_by_its_own_kind_at_least_as_long(text: str, found: list[tuple[int, int]]) -> None:
    after = "\n# After"
    assert fences(text + after) == found
    assert headings(text + after) == [(text.count("\n") + 2, 1, "After")]


@pytest.mark.parametrize("line", ["``` x ```", "a ```", "``", "```a`b"])
def test_what_only_looks_like_a_fence_is_none(line: str) -> None:
    assert fences(f"{line}\n# Tea") == []


def test_what_stands_in_code_is_no_tag_and_no_link() -> None:
    found = note("`#one` and `[[one]]`\n```\n#two [[two]] [x](two.md)\n```\n#three [[three]]")
    assert (found.tags, found.links) == (("three",), ("three",))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#tea", ("tea",)),
        ("green #tea, #Cup; (#pot)", ("tea", "cup", "pot")),
        ("#drinks/tea/", ("drinks/tea",)),
        ("#grün #茶 #snake_case #kebab-case", ("grün", "茶", "snake_case", "kebab-case")),
        ("#tea #TEA", ("tea",)),
        ("#2026 #1", ()),
        ("#y2026", ("y2026",)),
        ("C#sharp a#b http://x.org/#top [[note#part]] [[#part]] &#39;", ()),
        ("# Heading\n## Other", ()),
    ],
)
def test_a_tag_stands_behind_a_space_and_is_one_in_any_case(text: str, tags: tuple[str, ...]) -> None:
    assert note(text).tags == tags


def test_tags_of_frontmatter_and_text_are_each_told_once() -> None:
    assert note(front("tags: [tea, cup]") + " #Tea #pot").tags == ("tea", "cup", "pot")


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[Tea]]", ("Tea",)),
        ("[[Tea|the green one]] ![[pot.png]]", ("Tea", "pot.png")),
        ("[[Tea#Brewing]] [[Tea#^m3k9f2]] [[Tea]]", ("Tea",)),
        ("[[drinks/Tea]] and [[Cup]]", ("drinks/Tea", "Cup")),
        ("[a](tea.md) [b](drinks/tea.md#cups) [c](https://x.org) [d](x.txt)", ("tea.md", "drinks/tea.md")),
        ("[[#Here]] [[]] [[ ]] [single] [[two\nlines]] [[a", ("two", "a")),
    ],
)
def test_a_link_is_the_note_that_it_leads_to(text: str, links: tuple[str, ...]) -> None:
    assert note(text).links == links


MARKS = (
    *(
        "# ",
        "---",
        "===",
        "```",
        "~~~",
        "\n",
        "\r\n",
        "[[",
        "]]",
        "](",
        ".md)",
        "#",
        "tag",
        "- ",
        "> ",
        "`",
        "|",
        " ",
    ),
    *("tags: ", "[", "]", "{", "}", "&a ", "*a", "!!x ", "? ", ": ", "2026-02-31", "茶", "\u2028", "\x00", "\ud800"),
)
markup = st.lists(st.sampled_from(MARKS) | st.text(st.characters(), max_size=3), max_size=60).map("".join)


@given(text=markup | markup.map(lambda text: f"---\n{text}\n---\n{text}"), path=st.text(max_size=10))
@example("---\n---", "")
def test_any_text_is_a_note(text: str, path: str) -> None:
    parsed = parse(text, path)
    count = len(parsed.lines)
    assert 1 <= parsed.body <= count + 1
    places = [heading.line for heading in parsed.outline.headings]
    assert places == sorted(set(places))
    assert all(parsed.body <= line <= count for line in places)
    ends = [line for fence in parsed.outline.fences for line in fence]
    assert ends == sorted(ends)
    assert all(parsed.body <= line <= count for line in ends)
    assert not any(first <= line <= last for first, last in parsed.outline.fences for line in places)
    assert all(tag == tag.strip() and tag for tag in parsed.note.tags)
    assert all(link.strip() and "\n" not in link for link in parsed.note.links)


def test_half_a_character_in_frontmatter_is_put_together_or_marked() -> None:
    """YAML spells a character in two halves; a half alone would stop the sync of the whole vault."""
    note = parse('---\ntitle: "\\ud83d\\ude00 tea"\ntags: ["a\\ud83d"]\n---\nx\n', "a.md").note
    assert note.title == "\U0001f600 tea"
    assert note.tags == ("a�",)
