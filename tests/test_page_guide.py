"""The guide of the page: its example view is built, served and used, and a script takes its pictures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import host_pictures
from tools.screenshots import IMAGES, IN_A_HOST, MOST_BYTES, PICTURES

from tests.test_docs import ROOT, blocks, read

FILES = ("views/backups.py", "templates/backups.html", "texts/en/backups.toml")
MOST_LINES = 60  # a view stays this small

# Opens the page as a browser does, and presses the button.
SCRIPT = """
import re, sys
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from tests.browser import serve_page
from tests.sample_home import SampleHome

sample = SampleHome(Path(sys.argv[1]))
for folder in (sample.vault, sample.home):
    folder.mkdir(parents=True, mode=0o700)
with serve_page(sample) as served:
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    browser.open(served.link())
    page = browser.open(served.url("/backups")).read().decode()
    assert "There is no backup yet" in page
    fields = dict(re.findall(r'name="(csrf|key)" value="([^"]+)"', page))
    form = Request(served.url("/backups"), urlencode(fields).encode(), {"Origin": served.address})
    page = browser.open(form).read().decode()
    assert "A backup was made and verified." in page and 'id="backup-' in page
    assert len(served.m.backups.all()) == 1
    print("the menu has it" if '<a href="/backups"' in page else page)
"""


@pytest.mark.process
def test_the_example_view_of_the_guide_works_as_it_is_written(tmp_path: Path) -> None:
    made = _copy_of_the_program(tmp_path / "src")
    named = {block.file: block.text for block in blocks(read("docs/page.md")) if block.file}
    assert sorted(named) == sorted(f"src/memoro/page/{name}" for name in FILES)
    for name in FILES:
        (made / "page" / name).write_text(named[f"src/memoro/page/{name}"], encoding="utf-8")
    for name, line in (("menu", 'backups = "Backups"'), ("menu_keys", 'backups = "b"')):
        with (made / "page" / "texts" / "en" / f"{name}.toml").open("a", encoding="utf-8") as texts:
            texts.write(f"{line}\n")
    _register(made / "page" / "views" / "__init__.py")

    path = os.pathsep.join((str(tmp_path / "src"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "sample")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the menu has it\n"


def test_the_example_view_is_short() -> None:
    written = [block for block in blocks(read("docs/page.md")) if block.file]
    lines = sum(bool(line.strip()) for block in written for line in block.text.splitlines())
    assert lines + 4 <= MOST_LINES  # and two for the menu, and two names in lists


def test_every_picture_of_the_documents_is_taken_by_the_script() -> None:
    there = {file.stem for file in IMAGES.glob("*.webp")}
    assert there == {*(picture.name for picture in PICTURES), IN_A_HOST, *host_pictures.NAMES}
    named = re.findall(r"!\[([^\]]+)\]\(images/([\w-]+)\.webp\)", read("docs/page.md"))
    assert {name for _, name in named} <= there
    assert sum(file.stat().st_size for file in IMAGES.iterdir()) <= MOST_BYTES


def _copy_of_the_program(folder: Path) -> Path:
    """The program with a page of its own; all else is the same files."""
    made, source = folder / "memoro", ROOT / "src" / "memoro"
    made.mkdir(parents=True)
    for one in source.iterdir():
        if one.name == "page":
            shutil.copytree(one, made / "page")
        elif one.name != "__pycache__":
            (made / one.name).symlink_to(one)
    return made


def _register(views: Path) -> None:
    """Name the module in the list of imports, and in that of the menu's order."""
    text = views.read_text(encoding="utf-8")
    text, imported = re.subn(r"(from memoro\.page\.views import \(?\s*)", r"\1backups, ", text, count=1)
    text, listed = re.subn(r"(modules = \(\s*)", r"\1backups, ", text, count=1)
    assert imported == listed == 1
    views.write_text(text, encoding="utf-8")
