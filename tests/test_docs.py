"""The documents are true: what they show is run, what they list is complete, and every link leads somewhere.

`python -m tests.test_docs` (`make docs`) writes the parts that are generated.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import apsw
import pytest

import memoro
from memoro import config, errors, operations
from memoro.cli.command_table import COMMANDS
from memoro.cli.examples import EXAMPLES
from memoro.cli.run import EXIT_CODES, parser_of
from memoro.config import edit
from memoro.config.change_risks import safe_to_change
from memoro.demo import copy_vault
from memoro.errors import MemoroError
from memoro.mcp import tools
from memoro.model.vocabulary import TOOL_PROFILES
from memoro.operations.fields import specs
from memoro.operations.parameters import Parameter
from memoro.providers.calibration import OF_BUILTIN
from memoro.search import candidate_signals, candidates, linked, relevance, weights
from memoro.store.sqlite import embeddings, provider_records
from memoro.store.sqlite.generations import Generations
from memoro.store.sqlite.ledger import schema as ledger_schema
from memoro.store.sqlite.schema import SCHEMA
from tests import errors_reference, http_reference
from tests.conftest import run_memoro
from tests.raw_sqlite import columns
from tests.standin import Options, Standin
from tests.test_demo import in_the_readme

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    *(f"{name}.md" for name in ("README", "ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")),
    *sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("docs/**/*.md")),
]
# What a document shows of other packages is run where they are installed.
NEEDS = {
    "docs/adapters.md": ("langgraph.store.base", "agents", "pydantic_ai", "anthropic"),
    "docs/building.md": ("mcp",),
}
SHOWN = ("console", "python", "sql", "toml")  # kinds of blocks that are run
COMMANDS_RUN = (
    "memoro",
    "chmod",
    "mkdir",
    "mv",
    "printf",
    "python",
    "rm",
)  # commands of a console block that are run
# Documents whose readers run Ollama, which a stand-in plays, and have a key of OpenAI, which is sent nothing.
WITH_SERVERS = ("docs/models.md",)
SERVER, SERVER_STOPS = "127.0.0.1:11434", "systemctl stop ollama"


# Generated parts stand between two comments, and the first names the function that makes them.
GENERATED = re.compile(r"(<!-- written by `make docs`: (\w+) -->\n)(.*?)(<!-- until here -->)", re.DOTALL)


def settings() -> str:
    rows = [
        (
            f"`{name}`",
            f"`{_toml(key.default)}`",
            str(key.meaning),
            "yes" if name in config.VAULT_MAY_SET else "",
            "yes" if safe_to_change(name) else "",
        )
        for name, key in config.keys().items()
    ]
    return _table(("key", "default", "meaning", "a vault may set it", "the page may change it"), rows)


def _toml(value: object) -> str:
    return "–" if value is None else json.dumps(value, ensure_ascii=False)


def exit_codes() -> str:
    meanings: dict[int, list[str]] = {
        0: ["done; for `search`, something was found"],
        1: ["`search` found nothing", "`doctor` found a failure"],
        130: ["interrupted with Ctrl-C (`watch` and `serve` end with 0)"],
    }
    for _, code, meaning in EXIT_CODES[:-1]:
        meanings.setdefault(code, []).append(meaning)
    return _table(("code", "meaning"), [(str(code), "; ".join(meanings[code])) for code in sorted(meanings)])


def error_classes() -> str:
    header = ("error", "meaning", "exit code", "HTTP status", "what to do")
    return _table(header, errors_reference.class_rows())


def error_messages() -> str:
    return _table(("error", "an example of its message"), errors_reference.message_rows())


SIGNALS = {
    "words": "how much of the query's weight the passage carries: its score by words",
    "meaning": "the cosine between the vectors of the passage and of the query",
    "around": "the same, for the passage added to the passages before and after it, which count half",
    "word by word": "for each word of the query, how near the nearest word of the passage is; rare words count more",
    "cue": "the passage holds the kind of thing that is asked for: a number, money, a time, a place or a person",
    "attribute": "the query asks for an attribute, such as a home or a database: up to 1 if the passage states it in "
    "other words, -0.5 if it states only others; a turn of a conversation gets up to 0.4, and nothing below 0",
    "experience": "-1 for an experience where the query asks for a fact and not how something is done",
    "answer": "in a conversation between people, someone else asked something in the turn before",
    "subject": "the query asks about someone or something: 1 if the passage is about it, -1 if about another",
    "speaker": "in a conversation between people, the query names one: 1 if that one said it, -1 if another did",
    "side": "the query is about what *you* or what *I* said: 1 if that side of a chat said it, -1 if the other did",
    "asks": "-1 for a passage that only asks; 0 for all if the query seeks advice or asks what was asked",
    "rule": "the query is a task, and the passage states a rule or a preference for such tasks",
    "nearby": "by how many deviations the best other turn among the four before and after it exceeds the mean; "
    "0 if the query is about several occasions",
    "spread": "if the query is about several occasions: minus the number of better turns of its conversation, to 3",
    "time": "1 for a passage that is of the time that the query names, or says it, and for a memory that held then; "
    "less for others, below 0 for what came later: see [times](#times-in-a-query)",
    "trust": "-1 for a memory that came from a tool or the web",
    "linked": "its note links to another note among the first candidates, or is linked from it",
    "fresh": "1 for a passage of today, or of the time that the query names; half of that after each half-life, "
    "0 for one without a date",
    "use": "of a memory, the logarithm of its usefulness × recency: 0 for a new one, 0.6 for one just reinforced; "
    "of an experience, that of its weight × success: 0 for a new one that went well",
}
NEWER = "the total of a better match, of which it is a newer statement, minus its own: see [older](#older-statements)"


def signals() -> str:
    rows = [
        (
            name,
            f"{short:g}",
            f"{long:g}",
            "yes" if name in candidate_signals.STANDARDISED else "",
            "yes" if name in candidate_signals.BY_MEANING else "",
            SIGNALS[name],
        )
        for name, (short, long) in weights.weights_in(OF_BUILTIN).items()
    ]
    rows.append(("newer", "", "", "", "", NEWER))
    return _table(("signal", "short", "long", "standardised", "in `vectors`", "what it measures"), rows)


def search_numbers() -> str:
    rows = [
        (f"{candidates.CANDIDATES}", "candidates by words and as many by meaning, or twice the results wanted"),
        (f"{candidates.LOOKED_AT}", "candidates for which every signal is measured, or twice the results wanted"),
        (f"{candidates.BESIDE_NAMES}", "more of these where a query names a subject, by the rest of the query"),
        (f"{weights.SHORT}, {weights.LONG}", "characters of a short and of a long candidate of middle length"),
        (
            f"{relevance.ENOUGH}",
            "what the best result scores at least; below it nothing is shown "
            f"(turns of conversations: {relevance.ENOUGH_TURN})",
        ),
        (f"{relevance.FLOOR}", "what every result scores at least"),
        (f"{relevance.SHARE}", "the share of the best score that every result has at least"),
        (f"{linked.LINKING}", "of the first candidates, how many can help each other by links"),
        (f"{OF_BUILTIN.same:g}", "a passage nearer to a better result than this is a repeat"),
    ]
    return _table(("number", "what it is"), rows)


def demo_prompts() -> str:
    """Prompts that the demo plays through the hook, with what it gives for them."""
    with tempfile.TemporaryDirectory() as folder:
        return f"```text\n{in_the_readme(run_memoro('demo', folder).out)}```\n"


def mcp_tools() -> str:
    rows = [
        (
            f"`{tool.name}`",
            ", ".join(_argument(tool, one) for one in tool.parameters),
            tool.tool.about,
            str(tools.tokens([tool])),
        )
        for tool in tools.all_tools()
    ]
    return _table(("tool", "takes", "what a model is told", "tokens"), rows)


def _argument(tool: tools.AgentTool, one: Parameter) -> str:
    """An argument as the table lists it: optional ones in brackets, and those that only the profile `full` has."""
    if one.required:
        return f"`{one.name}`"
    is_usual = tool.tool.profile == "full" or one in tool.with_usual_parameters().parameters
    return f"[`{one.name}`]" if is_usual else f"[`{one.name}`] (profile `full`)"


def mcp_profiles() -> str:
    rows = [
        (f"`{name}`", str(tools.tokens(tools.chosen(name))), ", ".join(f"`{one.name}`" for one in tools.chosen(name)))
        for name in TOOL_PROFILES
    ]
    return _table(("profile", "tokens", "tools"), rows)


def operations_table() -> str:
    rows = [
        (
            f"`{one.name}`",
            one.access,
            ", ".join(f"`{spec.name}`" if spec.is_required else f"[`{spec.name}`]" for spec in specs(one.request)),
            f"`{one.result_name}`",
            f"`{one.tool_name}`" if one.tool else "",
        )
        for one in operations.table()
    ]
    return _table(("operation", "access", "request", "result", "tool"), rows)


def commands() -> str:
    return "\n".join(_command(name, summary) for name, summary in COMMANDS.items())


def _command(name: str, summary: str) -> str:
    """Made from the parser itself, and not from its help text, which differs between versions of Python."""
    parser = parser_of(name)
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not actions:
        return f"### {name}\n\n{summary}\n\n{_usage(name, parser)}"
    inner = [
        f"#### {name} {one.dest}\n\n{one.help}\n\n{_usage(f'{name} {one.dest}', actions[0].choices[one.dest])}"
        for one in actions[0]._choices_actions
    ]
    own = [_usage(name, parser)] if parser.get_default("run") else []
    return "\n".join([f"### {name}\n\n{summary}\n", *own, *inner])


def _usage(name: str, parser: argparse.ArgumentParser) -> str:
    positional = [
        action
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]
    usage = " ".join([f"memoro {name}", *map(_placeholder, positional), "[OPTIONS]"])
    parts = [f"```text\n{usage}\n```\n"]
    for group in parser._action_groups:
        shown = [a for a in group._group_actions if not isinstance(a, argparse._SubParsersAction)]
        rows = [(f"`{_spelling(a)}`", _meaning(a)) for a in shown if a.dest != "help"]
        if rows and group.title != "places":
            title = "argument" if group.title == "arguments" else "option"
            named = "" if group.title in ("arguments", "options") else f"{_sentence(group.title)}:\n\n"
            parts.append(named + _table((title, "meaning"), rows))
    if examples := EXAMPLES.get(name):
        parts.append("```text\n" + "".join(f"{one}\n" for one in examples) + "```\n")
    return "\n".join(parts)


def _placeholder(action: argparse.Action) -> str:
    name = "|".join(map(str, action.choices)) if action.choices else str(action.metavar or action.dest.upper())
    return {"?": f"[{name}]", "+": f"{name}…", "*": f"[{name}…]"}.get(str(action.nargs), name)


def _spelling(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest.upper())
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
    return ", ".join(action.option_strings) + value


def _meaning(action: argparse.Action) -> str:
    choices = f" One of {', '.join(f'`{choice}`' for choice in action.choices)}." if action.choices else ""
    return (action.help or "") + choices


def _sentence(title: str | None) -> str:
    return f"{title or ''}"[:1].upper() + f"{title or ''}"[1:]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def http_routes() -> str:
    return _table(("path", "method", "token", "takes", "what it does"), http_reference.route_rows())


def http_left_out() -> str:
    return _table(("operation", "why"), http_reference.left_out_rows())


def http_statuses() -> str:
    return _table(("status", "types"), http_reference.status_rows())


MAKERS: dict[str, Callable[[], str]] = {
    maker.__name__: maker
    for maker in (
        settings,
        exit_codes,
        error_classes,
        error_messages,
        signals,
        search_numbers,
        demo_prompts,
        commands,
        operations_table,
        mcp_tools,
        mcp_profiles,
        http_routes,
        http_left_out,
        http_statuses,
    )
}


def refreshed(text: str) -> str:
    return GENERATED.sub(lambda found: f"{found[1]}\n{MAKERS[found[2]]()}\n{found[4]}", text)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_generated_is_up_to_date(name: str) -> None:
    assert read(name) == refreshed(read(name)), f"{name} is stale: run `make docs`"


def test_everything_that_can_be_generated_stands_somewhere() -> None:
    assert {found[2] for name in DOCUMENTS for found in GENERATED.finditer(read(name))} == set(MAKERS)


class Block(NamedTuple):
    kind: str
    file: str | None  # a block that names a file is that file
    line: int  # of its first line, 1-based
    text: str
    output: str | None  # what a block of text right below says that it prints


# A fence with what it holds and, right below it, perhaps one of plain text.
FENCE = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$(?:(?=\n\n```text\n(.*?)^```$)|)", re.DOTALL | re.MULTILINE)


def blocks(text: str) -> list[Block]:
    return [Block(f[1], f[2], text.count("\n", 0, f.start(3)) + 1, f[3], f[4]) for f in FENCE.finditer(text)]


class Command(NamedTuple):
    text: str
    shown: str
    code: int


def shell_commands(block: str) -> Iterator[Command]:
    """What is typed and what is then shown. A following `echo $?` shows the exit code, which else is 0."""
    typed = [part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    for (text, _, shown), (after, _, told) in zip(typed, [*typed, ("", "", "")][1:], strict=True):
        if text != "echo $?":
            yield Command(text, shown, int(told) if after == "echo $?" else 0)


def agrees(shown: str, real: str) -> bool:
    """Line by line; `…` stands for any part of a line and, on a line of its own, for any lines."""
    lines = [
        r"(?:[^\n]*\n)*?[^\n]*" if line.strip() == "…" else r"[^\n]*".join(map(re.escape, line.split("…")))
        for line in shown.strip("\n").split("\n")
    ]
    return re.fullmatch("\n".join(lines), real.strip("\n")) is not None


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\n…\n", "one\ntwo\nthree\n", True),
        ("one\n…\nthree\n", "one\n\ntwo\nthree\n", True),
        ("took … ms", "took 12 ms", True),
        ("took … ms", "took\n12 ms", False),
        ("one\n", "one\ntwo\n", False),
        ("one\n…\n", "two\nthree\n", False),
    ],
)
def test_dots_stand_for_what_is_left_out_and_for_nothing_else(shown: str, real: str, same: bool) -> None:
    assert agrees(shown, real) is same


class Reader:
    """Somebody with the sample notes in ~/notes, who does what one document shows from its top to its end."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._server = Standin("ollama", options=Options(dimensions=768)) if name in WITH_SERVERS else None

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def environment(self) -> dict[str, str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        key = {"OPENAI_API_KEY": "sk-of-nobody-0123456789"} if self._server else {}
        return {**clean, **key, "HOME": str(self.folder), "PATH": path, "PYTHONWARNINGS": "error", "PYTHONUTF8": "1"}

    def follow(self, block: Block) -> None:
        where = f"{self.name}:{block.line}"
        if block.file:
            target = self.folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
            return
        match block.kind:
            case "console":
                for command in shell_commands(block.text):
                    if command.text.split()[0] in COMMANDS_RUN:
                        self._type(command, where)
                    elif command.text == SERVER_STOPS and self._server is not None:
                        self._server.stop()
            case "python":
                printed = io.StringIO()
                code = compile("\n" * (block.line - 1) + block.text, str(ROOT / self.name), "exec")
                with redirect_stdout(printed):
                    exec(code, self._names)
                self._compare(block.output, printed.getvalue(), where)
            case "sql":
                self._compare(block.output, self._ask(block.text), where)
            case "toml":
                check_settings(block.text, where)

    def _type(self, command: Command, where: str) -> None:
        code, real = self._run_with_server(command.text)
        assert code == command.code, f"{where}: {command.text} ended with {code}:\n{real}"
        self._compare(command.shown or None, real, f"{where}: {command.text}")

    def _run_with_server(self, typed: str) -> tuple[int, str]:
        """The same, with the address of the stand-in instead of the one that is shown."""
        if self._server is None:
            return self._run(typed)
        code, real = self._run(typed.replace(SERVER, self._server.host))
        return code, real.replace(self._server.host, SERVER)

    def _run(self, typed: str) -> tuple[int, str]:
        """The exit code and all that is printed. The README, and what needs a shell, run as real processes."""
        if self.name != "README.md" and typed.startswith("memoro ") and not re.search(r"[|<>;&$*~`]", typed):
            done = run_memoro(*shlex.split(typed)[1:], env=self.environment(), joined=True)
            return done.code, done.out
        finished = subprocess.run(
            ["sh", "-c", typed],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=self.environment(),
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        return finished.returncode, finished.stdout.decode()

    def _ask(self, query: str) -> str:
        """As any program with SQLite would: without our extensions, without our page checksums.

        A first line `-- NAME` asks that file of the home, else the current index is asked.
        """
        home = self.folder / ".memoro"
        number = Generations(str(home)).current()
        assert number is not None, "show `memoro sync` first"
        named = re.match(r"-- (\S+)\n", query)
        file = named[1] if named else f"index.{number}.db"
        db = apsw.Connection(str(home / file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return "".join(f"{'|'.join('' if v is None else str(v) for v in row)}\n" for row in db.execute(query))
        finally:
            db.close()

    def _compare(self, shown: str | None, real: str, where: str) -> None:
        if shown is not None:
            assert agrees(shown, real), f"{where} shows\n{shown}\nand what happens is\n{real}"


def check_settings(text: str, where: str) -> None:
    table = tomllib.loads(text)
    for agent in [None, *table.get("agents", {})]:
        for project in [None, *table.get("projects", {})]:
            config.settle(config.parse_file(text, where, agent=agent, project=project))


def live(name: str) -> list[Block]:
    return [block for block in blocks(read(name)) if block.kind in SHOWN or block.file]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Reader]]:
    made = {}
    for name in DOCUMENTS:
        if live(name):
            folder = tmp_path_factory.mktemp(Path(name).stem)
            os.rename(copy_vault(str(folder)), folder / "notes")
            (folder / "bin").mkdir()
            for program, options in (("memoro", "-m memoro"), ("python", "")):
                script = folder / "bin" / program
                script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n')
                script.chmod(0o755)
            made[name] = Reader(name, folder)
    time.sleep(2.1)  # a note younger than this is read again, and `status` says so
    yield made
    for reader in made.values():
        reader.close()


@pytest.mark.usefixtures("own_loop")
@pytest.mark.parametrize("name", [name for name in DOCUMENTS if live(name)])
def test_what_a_document_shows_is_what_happens(
    name: str, readers: dict[str, Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: what {name} shows of it is not run")
    reader = readers[name]
    for variable in [key for key in os.environ if key.startswith("MEMORO_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(reader.folder))
    monkeypatch.chdir(reader.folder)
    if name != "README.md":  # it begins with nothing; the others begin after `memoro init`
        (reader.folder / ".memoro").mkdir(mode=0o700)
        settings_file = str(reader.folder / ".memoro" / config.FILE_NAME)
        edit.write(settings_file, "vault.path", str(reader.folder / "notes"))

    for block in live(name):
        reader.follow(block)

    shutil.rmtree(reader.folder)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_are_shown_with_the_prompt_that_makes_them_run(name: str) -> None:
    for block in blocks(read(name)):
        if block.kind in ("", "sh", "bash", "shell"):
            assert not re.search(r"^(?:\$ )?memoro ", block.text, re.MULTILINE), f"{name}:{block.line}: use console"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", read(name), flags=re.DOTALL | re.MULTILINE)
    for target, _, anchor in (link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", prose)):
        if "://" in target:
            continue
        file = (ROOT / name).parent / target if target else ROOT / name
        assert file.exists(), f"{name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}, anchor


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_document_names_a_folder_of_the_machine_it_was_written_on(name: str) -> None:
    assert not re.findall(r"(?<![\w.~])/(?:tmp|work|home|root|Users)/\S*", read(name))


def test_the_readme_begins_with_what_a_newcomer_types() -> None:
    top = read("README.md").splitlines()[:25]
    assert {"make demo", "make test"} <= {line.partition("#")[0].strip() for line in top}


def test_the_walks_name_functions_that_exist() -> None:
    walks = read("ARCHITECTURE.md").partition("## Five walks")[2].partition("\n## ")[0]
    names = re.findall(r"`((?:[a-z_]+\.)+[A-Za-z_.]+)`", walks)
    assert len(names) > 25
    for name in names:
        resolve_name(f"memoro.{name}")


def test_the_map_is_short_and_names_every_part() -> None:
    text = read("ARCHITECTURE.md")
    assert len(text.splitlines()) <= 120
    source = ROOT / "src" / "memoro"
    parts = [f"{f.name}/" if f.is_dir() else f.name for f in source.iterdir() if not f.name.startswith("_")]
    assert [part for part in parts if part not in text and part != "py.typed"] == []


def test_the_tests_that_documents_name_exist() -> None:
    known = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").glob("*.py"))
    for name in DOCUMENTS:
        for test in re.findall(r"`(test_\w+)`", read(name)):
            assert f"def {test}(" in known or (ROOT / "tests" / f"{test}.py").exists(), f"{name}: {test}"
        for file in re.findall(r"`((?:src|tests|benchmarks|docs)/[\w/.-]+)`", read(name)):
            assert (ROOT / file).exists(), f"{name}: {file}"


def test_every_error_is_named_in_the_documents() -> None:
    kinds = [v.__name__ for v in vars(errors).values() if isinstance(v, type) and issubclass(v, MemoroError)]
    rows = re.findall(r"^\| (?:· )*`(\w+)` \|", error_classes(), re.MULTILINE)
    assert sorted(rows) == sorted(kinds)


def test_every_error_says_what_to_do() -> None:
    bases = {"MemoroError", "VaultError", "ProviderError", "StoreError"}
    kinds = {v.__name__ for v in vars(errors).values() if isinstance(v, type) and issubclass(v, MemoroError)}
    assert set(errors_reference.REMEDIES) == kinds - bases


def test_every_error_with_a_sentence_of_its_own_is_shown_with_it() -> None:
    worded_where_raised = {"ProviderUnavailable", "PartialResponse", "RequestTooLarge"}  # they only carry data
    kinds = {
        name
        for name, v in vars(errors).items()
        if isinstance(v, type) and issubclass(v, MemoroError) and "__init__" in vars(v)
    }
    assert {type(one).__name__ for one in errors_reference.EXAMPLES} == kinds - worded_where_raised


def test_the_index_of_the_documents_lists_every_page() -> None:
    listed = set(re.findall(r"\]\(([\w/.-]+\.md)(?:#[\w-]+)?\)", read("docs/README.md")))
    pages = {str(file.relative_to(ROOT / "docs")) for file in ROOT.glob("docs/**/*.md")} - {"README.md"}
    assert sorted(pages - listed) == []


def test_every_setting_has_a_meaning() -> None:
    assert all(key.meaning.text for key in config.keys().values())


def test_every_field_of_a_result_is_explained() -> None:
    text = read("docs/library.md")
    for name in memoro.__all__:
        for field in getattr(getattr(memoro, name), "_fields", ()):
            assert f"`{field}`" in text, f"{name}.{field}"


def test_every_column_of_the_index_is_explained() -> None:
    text = read("docs/formats.md")
    for table, column in columns(SCHEMA):
        if not table.startswith(("words_", "vocabulary", "column_vocabulary", "sqlite_")):
            assert table in text and f"`{column}`" in text, f"{table}.{column}"


def test_every_column_of_the_ledger_is_explained() -> None:
    text = read("docs/formats.md").partition("## ledger.db")[2]
    for schema in (ledger_schema.LEDGER, ledger_schema.ARCHIVE):
        for table, column in columns(schema):
            if not re.match(r"(\w+_)?words_|sqlite_", table):
                assert f"`{table}`" in text and f"`{column}`" in text, f"{table}.{column}"


def test_every_signal_is_explained() -> None:
    assert list(SIGNALS) == list(weights.weights_in(OF_BUILTIN))


def test_every_column_of_the_vector_cache_is_explained() -> None:
    text = read("docs/formats.md")
    for table, column in columns(embeddings.SCHEMA):
        assert table in text and f"`{column}`" in text, f"{table}.{column}"


def test_every_column_of_the_provider_records_is_explained() -> None:
    text = read("docs/formats.md").partition("## providers.db")[2].partition("\n## ")[0]
    for table, column in columns(provider_records.SCHEMA):
        assert f"| {table} |" in text and f"`{column}`" in text, f"{table}.{column}"


def test_the_model_card_names_the_files_that_ship_and_what_they_were_made_from() -> None:
    card = read("docs/model-card.md")
    sums = read("src/memoro/providers/builtin/SHA256SUMS").split()
    assert [one for one in sums if one not in card] == []
    made_from = re.findall(r"\b[0-9a-f]{64}\b", read("tools/distil.py"))
    assert made_from
    assert [one for one in made_from if one not in card] == []


def test_every_target_of_make_is_explained() -> None:
    targets = " ".join(re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)).split()
    assert targets
    assert [target for target in targets if f"`make {target}`" not in read("CONTRIBUTING.md")] == []


def test_every_word_has_one_meaning() -> None:
    tables = [part for part in read("docs/concepts.md").split("\n## ") if "| word | meaning |" in part]
    rows = [row for part in tables for row in re.findall(r"^\| ([^|]+) \|", part, re.MULTILINE) if row != "word"]
    words = [word for row in rows for word in row.split(", ")]
    assert [word for word, times in Counter(words).items() if times > 1] == []


def main() -> None:
    for name in DOCUMENTS:
        if (made := refreshed(read(name))) != read(name):
            (ROOT / name).write_text(made, encoding="utf-8")
            print(f"{name} was stale and is written anew")


if __name__ == "__main__":
    main()
