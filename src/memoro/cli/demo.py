"""`memoro demo`: sample notes and a sample project, and what an agent and a person get from them."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import textwrap
from typing import TYPE_CHECKING

from memoro import config, opening
from memoro.config import edit
from memoro.errors import ConfigError

if TYPE_CHECKING:
    from memoro.demo.sample_project import SampleProject, SamplePrompt
    from memoro.model.recall import RecalledItem
    from memoro.model.sessions import RecordedRecall
    from memoro.workspace import Workspace

_WIDTH = 100


def configure_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", help="The folder for the samples (a new temporary folder).")
    parser.set_defaults(run=_demo)


def _demo(chosen: argparse.Namespace) -> int:
    from memoro import demo
    from memoro.demo.sample_project import make_project

    folder = os.path.abspath(chosen.folder) if chosen.folder else tempfile.mkdtemp(prefix="memoro-demo-")
    try:
        os.makedirs(folder, exist_ok=True)
        vault, project = demo.copy_vault(folder), make_project(folder)
    except OSError as error:
        raise ConfigError(f"The samples cannot be put into {folder}: {error}. Name another folder.") from error
    edit.write(os.path.join(project.home, config.FILE_NAME), "vault.path", vault)
    with opening.open(project.home, vault) as m:
        report = m.sync()
        notes = report.files - report.transcripts
        print(f"{notes} sample notes are in {vault}, beside the logs of {report.transcripts} conversations.")
        _show_prompts(m, project)
        _show_searches(m)
    _show_next(project.home)
    if not chosen.folder:  # a folder that a person named may hold more
        print(f"\nAll of this is in {folder}, and stays there until you delete it: rm -r {shlex.quote(folder)}")
    return 0


def _show_prompts(m: Workspace, project: SampleProject) -> None:
    """Play prompts through the hook as an agent's program does, and show what it puts before the model."""
    from memoro.demo.sample_project import PROMPTS, ask

    print("\nAn agent works in the project. Before each prompt its program asks Memoro, and Memoro answers:\n")
    session = f"demo-{os.urandom(4).hex()}"  # a new one each time: nothing is given twice in a session
    for prompt in PROMPTS:
        block = ask(project, session, prompt.text)
        known = m.sessions.show(session).recalls
        recall = known[-1] if known and known[-1].recalled.message == prompt.text else None
        given = recall if recall and recall.recalled.block.strip() == block.strip() else None
        print(f"{_typed(prompt)}\n{_given(given)}\n")


def _typed(prompt: SamplePrompt) -> str:
    first, *others = prompt.text.split("\n")
    return "\n".join([f"> {first}   ({prompt.shows})", *(f"  {line}" for line in others)])


def _given(recall: RecordedRecall | None) -> str:
    """Return the context that the hook printed for a prompt."""
    if recall is None:
        return "  The hook did not answer in time."
    recalled = recall.recalled
    lines = [line for item in recalled.items for line in _item(item)]
    return "\n".join([f"  {recalled.tokens} tokens, {recalled.decision}", *lines])


def _item(item: RecalledItem) -> list[str]:
    span = f"{item.start_line}-{item.end_line}" if item.end_line > item.start_line else f"{item.start_line}"
    text = [
        part
        for line in item.text.split("\n")
        for part in textwrap.wrap(line, _WIDTH, initial_indent="  │ ", subsequent_indent="  │   ")
    ]
    return [f"  {item.path}:{span}  {item.date or ''}".rstrip(), *text]


def _show_searches(m: Workspace) -> None:
    from memoro import demo
    from memoro.cli import show

    print("You ask the notes yourself:\n")
    for question in demo.questions():
        answer = m.search(question.ask, limit=1)
        print(f"? {question.ask}   ({question.shows})")
        show.answer(answer, explain=False)


def _show_next(home: str) -> None:
    memoro = _program()
    print("Now you:")
    print(f'  {memoro} --home {home} search "your own question" --explain')
    print(f"  {memoro} --home {home} session show --today   # what the agent was given, and what it cost")
    print(f"  {memoro} init FOLDER            # your own notes; nothing in them is changed")
    print(f"  {memoro} connect claude-code    # your own agent; it says first what changes")


def _program() -> str:
    """The words to type for this very command: its name, or its path if the name would not find it."""
    import shutil

    here = sys.argv[0]
    if os.path.basename(here) != "memoro":
        return f"{os.path.basename(sys.executable)} -m memoro"
    found = shutil.which("memoro")
    return "memoro" if found and os.path.samefile(found, here) else os.path.relpath(here)
