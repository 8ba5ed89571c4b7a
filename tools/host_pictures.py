"""Takes the pictures of terminals in docs/images anew: what `memoro` prints, and hosts with Memoro.

Each picture is the screen of a real program, in the home of an invented person. A host that is not on the PATH is
left out, and its pictures stay. Needs tmux, which is the terminal, Chromium, which draws it, and a font with emoji.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from tests.browser import MISSING, chromium

from memoro.demo import copy_vault
from memoro.demo.sample_project import PROJECT, make_project

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).parent.parent / "docs" / "images"
NAMES = (
    *("connect-claude-code", "connect-claude-desktop", "connect-cursor", "connect-opencode", "connect-vscode"),
    *("claude-code-mcp", "claude-code-hooks", "session-today", "codex-hooks", "codex-mcp"),
    *("gemini-trust", "gemini-mcp", "opencode-mcp"),
)
COLUMNS, ROWS = 100, 44
HISTORY = 500  # lines that scrolled off, of a command that prints many
MOST_BYTES = 60_000  # of each picture
QUALITIES = (70, 50, 30, 15)  # of WebP: the first that is small enough is taken
WAIT_SECONDS = 60.0
SETTLE_SECONDS = 1.5  # until a screen has drawn what follows the awaited words
TYPING_SECONDS = 0.7  # some programs take Enter right behind a text for a part of it
SHOWN_HOME = "/home/benjamin"  # as long as the name of the temporary folder, so that frames stay straight
GAP = "⋮"  # stands for lines that a picture leaves out
_COLOURS = [(36, 41, 47), (179, 38, 30), (26, 115, 50), (140, 90, 0), (9, 84, 160), (120, 50, 150), (0, 110, 120)]
_BRIGHT = [
    (90, 96, 102),
    (255, 120, 110),
    (110, 210, 130),
    (230, 200, 90),
    (110, 170, 255),
    (210, 150, 250),
    (90, 210, 220),
]
_DARK = TerminalTheme((24, 26, 31), (225, 228, 232), [*_BRIGHT, (225, 228, 232)], [*_BRIGHT, (225, 228, 232)])
_LIGHT = TerminalTheme((252, 252, 250), (36, 41, 47), [*_COLOURS, (90, 96, 102)], [*_COLOURS, (90, 96, 102)])
_PAGE = """<meta charset="utf-8"><style>
body {{ margin: 0; background: {background}; color: {foreground}; display: inline-block; padding: 14px 18px; }}
pre {{ margin: 0; font: 14px/1.18 "DejaVu Sans Mono", "Noto Color Emoji", monospace; }}
</style><pre>{code}</pre>"""


class Shot(NamedTuple):
    """A picture: its name, and the lines of the screen with their colours."""

    name: str
    lines: Sequence[str]
    dark: bool = False  # for a host whose colours are made for a dark screen


class Terminal:
    """A terminal in the home of the invented person, with a shell in their project."""

    def __init__(self, home: str) -> None:
        self._socket = os.path.join(tempfile.mkdtemp(dir=os.path.join(home, "tmp")), "terminal")
        self._tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *_shell(home))
        self.wait("$")

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", self._socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        time.sleep(TYPING_SECONDS)
        self.press("Enter")

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)
        time.sleep(TYPING_SECONDS)

    def wait(self, words: str) -> None:
        """Wait until the screen holds these words, and has drawn what comes with them."""
        ends = time.monotonic() + WAIT_SECONDS
        while words not in self._tmux("capture-pane", "-p"):
            if time.monotonic() > ends:
                sys.exit(f"The screen never showed {words!r}:\n{self._tmux('capture-pane', '-p')}")
            time.sleep(0.2)
        time.sleep(SETTLE_SECONDS)

    def lines(self, *, history: int = 0) -> list[str]:
        """Return the screen, with its colours and without the blank lines at its end."""
        return self._tmux("capture-pane", "-e", "-p", "-S", f"-{history}").rstrip().splitlines()

    def close(self) -> None:
        self._tmux("kill-server")


def _shell(home: str) -> list[str]:
    variables = {
        "HOME": home,
        "PATH": os.pathsep.join([os.path.join(home, ".local", "bin"), os.environ["PATH"]]),
        "TMPDIR": os.path.join(home, "tmp"),
        "LANG": "C.UTF-8",
        "TERM": "tmux-256color",
        "COLORTERM": "truecolor",
        "PS1": "$ ",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "GEMINI_API_KEY": "of-nobody",
    }
    named = [f"{name}={value}" for name, value in variables.items()]
    return ["-c", os.path.join(home, PROJECT), "env", "-i", *named, "bash", "--norc", "--noprofile"]


@contextmanager
def _terminal(home: str) -> Iterator[Terminal]:
    made = Terminal(home)
    try:
        yield made
    finally:
        made.close()


def _printed(name: str, home: str, command: str, last: str, answers: Sequence[tuple[str, str]] = ()) -> Shot:
    """A command and all that it prints, down to the line with `last`."""
    with _terminal(home) as terminal:
        terminal.type(command)
        for question, answer in answers:
            terminal.wait(question)
            terminal.type(answer)
        terminal.wait(last)
        lines = terminal.lines(history=HISTORY)
    return Shot(name, lines[:-1] if lines[-1].endswith("$") else lines)


def _shortened(shot: Shot, first: int, last: int) -> Shot:
    """The first and the last lines of a long picture."""
    return shot._replace(lines=[*shot.lines[:first], GAP, *shot.lines[-last:]])


def _connect(name: str, home: str) -> Shot:
    return _printed(f"connect-{name}", home, f"memoro connect {name}", "is connected", [("Do this?", "y")])


def memoro(home: str) -> Iterator[Shot]:
    for name in ("cursor", "vscode", "claude-desktop"):
        yield _connect(name, home)


def claude_code(home: str) -> Iterator[Shot]:
    """Connect, look at /mcp and /hooks, send two prompts, and see what was given."""
    answers = [("Do this?", "y"), ("Search your conversations", "y")]
    printed = _printed("connect-claude-code", home, "memoro connect claude-code", "searched too.", answers)
    yield _shortened(printed, first=26, last=9)  # the effects and the questions, without the diff
    _edit_json(
        os.path.join(home, ".claude.json"),
        {
            "hasCompletedOnboarding": True,
            "theme": "light",
            "projects": {os.path.join(home, PROJECT): {"hasTrustDialogAccepted": True}},
        },
    )
    with _terminal(home) as terminal:
        terminal.type("claude")
        terminal.wait("for shortcuts")
        terminal.type("/mcp")
        terminal.wait("13 tools")
        yield Shot("claude-code-mcp", _from(terminal.lines(), "❯ /mcp"))
        terminal.press("Escape")
        terminal.type("/hooks")
        terminal.wait("hooks configured")
        yield Shot("claude-code-hooks", _from(terminal.lines(), "❯ /hooks"))
        terminal.press("Escape")
        for prompt in ("How often do we fetch the timetable feed?", "thanks!"):
            terminal.type(prompt)
            terminal.wait("/login")
            time.sleep(4)
        terminal.type("/exit")
        time.sleep(3)
    yield _printed("session-today", home, "memoro session show --today", "thanks!")


def codex(home: str) -> Iterator[Shot]:
    folder = Path(home, ".codex")
    folder.mkdir(exist_ok=True)
    provider = (
        'name = "nobody"\nbase_url = "http://127.0.0.1:9/v1"\n'  # Codex asks for an account, unless it has this
    )
    project = f'[projects."{home}/{PROJECT}"]\ntrust_level = "trusted"\n'
    (folder / "config.toml").write_text(
        f'model_provider = "nobody"\n\n[model_providers.nobody]\n{provider}\n{project}'
    )
    _connect("codex", home)
    with _terminal(home) as terminal:
        terminal.type("codex")
        terminal.wait("Hooks need review")
        yield Shot("codex-hooks", _from(terminal.lines(), "Hooks need review"))
    yield _printed("codex-mcp", home, "codex mcp list", "enabled")


def gemini(home: str) -> Iterator[Shot]:
    folder = Path(home, ".gemini")
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    _connect("gemini", home)
    with _terminal(home) as terminal:
        terminal.type("gemini")
        terminal.wait("Do you trust")
        yield Shot("gemini-trust", _from(terminal.lines(), "Do you trust", before=2), dark=True)
        terminal.press("Enter")
        terminal.wait("for shortcuts")
        time.sleep(15)  # it starts its servers in the background
        terminal.type("/mcp")
        terminal.wait("Ready")
        yield Shot("gemini-mcp", _from(terminal.lines(), "> /mcp"), dark=True)


def opencode(home: str) -> Iterator[Shot]:
    yield _connect("opencode", home)
    yield _printed("opencode-mcp", home, "opencode mcp list", "server(s)")


HOSTS: dict[str, Callable[[str], Iterator[Shot]]] = {
    "claude": claude_code,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
}


def _from(lines: Sequence[str], words: str, before: int = 0) -> Sequence[str]:
    """The lines from the last one that holds these words, with so many before it."""
    at = max(number for number, line in enumerate(lines) if words in Text.from_ansi(line).plain)
    return lines[at - before :]


def _edit_json(file: str, values: dict[str, object]) -> None:
    known = json.loads(Path(file).read_text(encoding="utf-8"))
    Path(file).write_text(json.dumps({**known, **values}), encoding="utf-8")


@contextmanager
def _invented_home() -> Iterator[str]:
    """A home with notes, a project, earlier conversations about it, `memoro`, and the hosts of this machine."""
    home = tempfile.mkdtemp(prefix="m", dir="/tmp")
    try:
        os.rename(copy_vault(home), os.path.join(home, "notes"))
        made = make_project(home)
        shutil.rmtree(made.home)
        os.rename(made.logs, os.path.join(home, ".claude"))
        for name in ("tmp", os.path.join(".local", "bin")):
            os.makedirs(os.path.join(home, name))
        script = _add_program(
            home, "memoro", f"#!{sys.executable}\nimport sys\nfrom memoro.cli import main\nsys.exit(main())"
        )
        for host in HOSTS:
            if program := shutil.which(host):
                _add_program(home, host, f'#!/bin/sh\nexec "{program}" "$@"')
        vault, environment = os.path.join(home, "notes"), {**os.environ, "HOME": home}
        subprocess.run([script, "init", vault], env=environment, check=True, capture_output=True)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _add_program(home: str, name: str, text: str) -> str:
    file = Path(home, ".local", "bin", name)
    file.write_text(f"{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


@contextmanager
def _page() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        yield browser.new_context(viewport={"width": 1200, "height": 400}).new_page()
        browser.close()


def _without_machine(line: str, home: str) -> str:
    """The line with the name of the invented home instead of the folder of this machine, and as long as before."""
    name = os.path.basename(SHOWN_HOME)
    return line.replace(home, SHOWN_HOME).replace(f"({os.path.basename(home)})", f"({name}) ")


def _drawn(shot: Shot, home: str, page: Page) -> bytes:
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True, highlight=False
    )
    shown = [_without_machine(line, home) for line in shot.lines]
    if os.path.basename(home) in "".join(Text.from_ansi(line).plain for line in shown):
        sys.exit(f"{shot.name} shows a folder of this machine.")
    for line in shown:
        console.print(Text.from_ansi(line), soft_wrap=True)
    page.set_content(console.export_html(theme=_DARK if shot.dark else _LIGHT, code_format=_PAGE, inline_styles=True))
    box = page.locator("body").bounding_box()
    assert box is not None
    for quality in QUALITIES:
        asked = {"format": "webp", "quality": quality, "captureBeyondViewport": True, "clip": {**box, "scale": 1}}
        sent = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
        image = base64.b64decode(sent["data"])
        if len(image) < MOST_BYTES:
            return image
    sys.exit(f"{shot.name} takes {len(image):,} bytes; {MOST_BYTES:,} is the most.")


def main(names: Sequence[str]) -> None:
    if chromium() is None:
        sys.exit(MISSING)
    if shutil.which("tmux") is None:
        sys.exit("No tmux was found, which is the terminal of the pictures (`apt-get install tmux` on Debian).")
    with _page() as page:
        for program, shots in {"memoro": memoro, **HOSTS}.items():
            if names and program not in names:
                continue
            if program in HOSTS and shutil.which(program) is None:
                print(f"{program} is not on the PATH: its pictures stay as they are.")
                continue
            with _invented_home() as home:
                assert len(home) == len(SHOWN_HOME)
                for shot in shots(home):
                    assert shot.name in NAMES
                    file = IMAGES / f"{shot.name}.webp"
                    file.write_bytes(_drawn(shot, home, page))
                    print(f"{file.name}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
