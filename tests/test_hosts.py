"""The table of hosts says what their modules say, and loading one host loads no other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro import hosts
from memoro.hosts.host import CAPTURE_KINDS, Host
from memoro.hosts.settings import HookGroup, Registration, SettingsRoots
from memoro.transcripts import readers
from memoro.transcripts.ports import Reader

ROOT = Path(__file__).parent.parent
EVERY = [hosts.load(line.name) for line in hosts.TABLE]


def test_the_table_says_what_the_modules_say() -> None:
    for line, host in zip(hosts.TABLE, EVERY, strict=True):
        assert (host.name, host.agent) == (line.name, line.agent)
        assert (host.logs is not None) == (line.agent is not None)
        assert (host.hooks is not None) == line.hooks
        assert (host.connection is not None) == line.connects


def test_every_module_of_a_host_is_in_the_table() -> None:
    modules = {file.stem for file in (ROOT / "src/memoro/hosts").glob("*.py")} - {"__init__", "host", "settings"}
    assert modules == {line.name.replace("-", "_") for line in hosts.TABLE}


@pytest.mark.process
def test_loading_a_host_loads_no_other_and_reading_the_table_loads_none() -> None:
    script = (
        "import json, sys\n"
        "from memoro import hosts\n"
        "def loaded(): return sorted(name for name in sys.modules if name.startswith('memoro.hosts.'))\n"
        "before = loaded()\n"
        "hosts.of_agent('codex').logs.locate({'HOME': '/me'})\n"
        "print(json.dumps([before, loaded()]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], ["memoro.hosts.codex", "memoro.hosts.host"]]


@pytest.mark.parametrize("name", ["", "claude", "codex ", "../codex", "host", "settings"])
def test_a_name_that_is_not_in_the_table_is_no_host(name: str) -> None:
    with pytest.raises(KeyError):
        hosts.load(name)


@given(st.text() | st.sampled_from([line.name for line in hosts.TABLE]))
def test_an_agent_is_found_by_the_name_of_its_logs_alone(agent: str) -> None:
    if agent in hosts.LOG_AGENTS:
        assert hosts.of_agent(agent).agent == agent
    else:
        with pytest.raises(KeyError):
            hosts.of_agent(agent)
        assert hosts.project_of(agent, "@x/p/chats/session-1.json") is None


def test_every_log_format_has_a_reader_that_names_the_agent() -> None:
    known: list[Reader] = [*readers.LINES, *readers.DOCUMENTS, *readers.DATABASES]
    for host in EVERY:
        if host.logs:
            agents = {reader.agent for reader in known if reader.name == host.logs.format}
            assert agents == {host.agent}


WITH_HOOKS = [host for host in EVERY if host.hooks]


@pytest.mark.parametrize("host", WITH_HOOKS, ids=lambda host: host.name)
def test_a_host_with_hooks_tells_every_moment_and_connecting_registers_its_answers(host: Host) -> None:
    assert host.hooks and host.connection and host.logs and host.agent
    moments = {event.moment for event in host.hooks.events}
    assert moments - {"action"} == {
        "start",
        "prompt",
        *CAPTURE_KINDS,
    }  # not every host takes context before an action
    assert len({event.name for event in host.hooks.events}) == len(host.hooks.events)
    registered = {
        item.event
        for file in host.connection.files(SettingsRoots({"HOME": "/me"}, "/project"), Registration(("memoro",)))
        for item in file.items
        if isinstance(item, HookGroup)
    }
    assert registered == {event.name for event in host.hooks.events if event.seconds is not None}
    assert {event.name for event in host.hooks.events if event.moment in ("start", "prompt")} <= registered


@pytest.mark.parametrize("host", EVERY, ids=lambda host: host.name)
def test_every_host_has_a_page(host: Host) -> None:
    assert (ROOT / "docs/hosts" / f"{host.name}.md").is_file()


@pytest.mark.parametrize("entry", hosts.TABLE, ids=lambda entry: entry.name)
def test_the_logs_and_hooks_of_a_host_are_found_by_both_its_names(entry: hosts.HostEntry) -> None:
    assert hosts.agent_of(entry.name) == (entry.agent or entry.name)
    assert entry.agent is None or hosts.agent_of(entry.agent) == entry.agent
