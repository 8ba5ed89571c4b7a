"""The files that the page loads: what they weigh, and that nothing in them runs text as code."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from memoro.page.rendering import environment
from memoro.page.static_files import static_files

ROOT = Path(__file__).parent.parent
MOST_BYTES = 60_000  # of a first load, packed: style, scripts, icon, and a page as long as the longest list


def _vendoring() -> ModuleType:
    found = importlib.util.spec_from_file_location("vendor_htmx", ROOT / "tools/vendor_htmx.py")
    assert found is not None and found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def test_htmx_is_the_file_that_the_tool_wrote() -> None:
    assert hashlib.sha256(static_files()["htmx.js"].content).hexdigest() == _vendoring().WRITTEN_SHA256


def test_no_script_of_the_page_runs_text_as_code() -> None:
    runs_text = _vendoring().RUNS_TEXT
    for file in static_files().values():
        if file.name.endswith(".js"):
            code = file.content.decode()
            assert runs_text.search(code) is None, file.name
            assert not re.search(r"\bFunction\s*\(|\beval\s*\(|\.innerHTML|insertAdjacentHTML|document\.write", code)


def test_the_tool_refuses_a_source_in_which_a_cut_is_missing() -> None:
    with pytest.raises(SystemExit, match="htmx has changed"):
        _vendoring().without_eval("var htmx = 1;\n")


def test_style_and_scripts_load_nothing_from_elsewhere() -> None:
    for file in static_files().values():
        text = file.content.decode()
        assert not re.search(r"url\(|@import|sourceMappingURL", text), file.name
        elsewhere = set(re.findall(r"https?://[^\s\"',)]+", text))
        assert elsewhere <= {"https://htmx.org", "http://www.w3.org/2000/svg"}, file.name


def test_no_template_has_inline_styles_scripts_or_handlers() -> None:
    loader = environment().loader
    assert loader is not None
    for name in environment().list_templates():
        source = loader.get_source(environment(), name)[0]
        source = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", source, flags=re.DOTALL)
        inline = re.search(r"\sstyle\s*=|\son[a-z]+=|<script(?![^>]*\ssrc=)|hx-on|<style|javascript:", source)
        assert inline is None, name


def test_the_files_of_a_first_load_leave_room_for_the_page_itself() -> None:
    assert sum(len(file.packed) for file in static_files().values()) < MOST_BYTES - 20_000
    for file in static_files().values():
        assert gzip.decompress(file.packed) == file.content


def _colours() -> dict[str, tuple[str, str]]:
    style = static_files()["style.css"].content.decode()
    found = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", style)
    return {name: (light, dark) for name, light, dark in found}


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "grounds"),
    [
        ("text", ("ground", "surface", "sunken", "mark", "accent-soft", "good-soft", "bad-soft", "warn-soft")),
        ("muted", ("ground", "surface", "sunken")),
        ("accent", ("ground", "surface", "accent-soft")),
        ("on-accent", ("accent",)),
        ("good", ("surface", "good-soft")),
        ("bad", ("ground", "surface", "bad-soft")),
        ("warn", ("ground", "surface", "warn-soft")),
    ],
)
def test_text_stands_out_from_its_ground(text: str, grounds: tuple[str, ...], theme: int) -> None:
    colours = _colours()
    for ground in grounds:
        assert _contrast(colours[text][theme], colours[ground][theme]) >= 4.5, f"{text} on {ground}"


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_the_edge_of_a_field_and_the_accent_are_seen_on_every_ground(theme: int) -> None:
    colours = _colours()
    for ground in ("ground", "surface"):
        assert _contrast(colours["edge"][theme], colours[ground][theme]) >= 3
        assert _contrast(colours["accent"][theme], colours[ground][theme]) >= 3
