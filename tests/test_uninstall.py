"""`memoro uninstall` leaves a person's files as they were before Memoro, and the notes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memoro.store.serving import claimed
from tests.conftest import fingerprint
from tests.person_of_0_1_0 import OldPerson, kept_texts


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OldPerson:
    return OldPerson(tmp_path, monkeypatch)


def use(person: OldPerson) -> None:
    """Search, remember, and connect a host anew, as over months."""
    person.types("search", "kettle")
    person.types("memory", "store", "The teapot costs 40 euros.")
    person.types("backup", "create")
    assert person.types("connect", "codex", "--yes").code == 0


def test_nothing_is_left_but_the_notes(person: OldPerson) -> None:
    use(person)
    notes = fingerprint(person.vault)
    unit = person.me / ".config" / "systemd" / "user" / "memoro.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=memoro serve\n")
    script = person.me / ".local" / "share" / "bash-completion" / "completions" / "memoro"
    script.parent.mkdir(parents=True)
    script.write_text(person.types("completion", "bash").out)

    done = person.types("uninstall", "--yes")

    assert (done.code, done.err) == (0, "")
    assert not (person.me / ".memoro").exists() and not unit.exists()
    assert person.services.read_text() == "--user disable --now memoro\n"
    left = person.settings_files()
    assert json.loads(left.pop("me/.claude.json")) == {"mcpServers": {}}  # Claude Code keeps that file itself
    assert left == kept_texts("before.json")
    assert fingerprint(person.vault) == notes
    assert "There is nothing to remove." in person.types("uninstall").out


def test_a_plan_is_shown_and_nothing_is_done_without_a_yes(person: OldPerson) -> None:
    use(person)
    before = fingerprint(person.folder)
    done = person.types("uninstall")
    assert done.code == 5 and "--yes" in done.err
    for said in ("Disconnects  Claude Code, Claude Desktop, Codex", f"Deletes      {person.me}/.memoro", "Keeps "):
        assert said in done.out
    assert fingerprint(person.folder) == before


def test_a_plan_is_shown_in_detail_and_then_summarised_once(person: OldPerson) -> None:
    use(person)
    shown = person.types("uninstall").out
    details, _, summary = shown.partition("\nDisconnects  ")
    assert details.startswith("Each change in detail; the summary is below.\n\n--- ")
    assert summary.startswith("Claude Code") and "Deletes " in summary and "Keeps " in summary
    assert shown.count("Disconnects  ") == 1


def test_the_home_can_stay(person: OldPerson) -> None:
    use(person)
    assert person.types("uninstall", "--keep-home", "--yes").code == 0
    assert "teapot" in person.types("memory", "query", "teapot").out
    assert kept_texts("before.json").items() <= person.settings_files().items()


def test_connections_of_other_projects_are_found_by_the_record(
    person: OldPerson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert person.types("uninstall", "--yes").code == 0
    left = person.settings_files()
    assert {name for name, text in left.items() if "hook claude" in text or '"mcp"' in text} == set()


def test_a_file_where_no_host_looks_any_more_is_cleaned_by_the_record(person: OldPerson) -> None:
    moved = person.me / "moved"
    person.environment["CODEX_HOME"] = str(moved)
    assert person.types("connect", "codex", "--yes").code == 0
    del person.environment["CODEX_HOME"]
    assert person.types("uninstall", "--yes").code == 0
    assert not moved.exists()


def test_a_recorded_file_that_was_edited_is_named(person: OldPerson) -> None:
    person.environment["CODEX_HOME"] = str(person.me / "moved")
    person.types("connect", "codex", "--yes")
    del person.environment["CODEX_HOME"]
    hooks = person.me / "moved" / "hooks.json"
    hooks.write_text(hooks.read_text().replace('"timeout"', '"seconds"'))
    done = person.types("uninstall", "--yes", "--json").json
    assert done["by_hand"] == [f"{hooks} was edited since Memoro was added to it. Remove what names `memoro` there."]


def test_a_served_home_is_not_deleted(person: OldPerson) -> None:
    use(person)
    with claimed(str(person.me / ".memoro")):
        done = person.types("uninstall", "--yes")
    assert done.code == 6 and "is already served" in done.err
    assert (person.me / ".memoro" / "ledger.db").exists()


@pytest.mark.parametrize("what", ["vault inside", "own home folder", "another folder", "a link"])
def test_a_folder_that_is_no_home_or_holds_more_is_never_deleted(
    what: str, person: OldPerson, tmp_path: Path
) -> None:
    home = person.me / ".memoro"
    options: tuple[str, ...] = ()
    if what == "vault inside":
        shutil.move(person.vault, home / "notes")
        options = ("--vault", str(home / "notes"))
    elif what == "own home folder":
        home, options = person.me, ("--home", str(person.me))
    elif what == "another folder":
        home = tmp_path / "photos"
        home.mkdir()
        (home / "cat.jpg").write_bytes(b"miau")
        options = ("--home", str(home))
    else:
        home = tmp_path / "linked"
        home.symlink_to(person.me / ".memoro")
        options = ("--home", str(home))
    before = fingerprint(person.folder)
    done = person.types(*options, "uninstall", "--yes")
    assert done.code == 2 and "Nothing was changed." in done.err
    assert fingerprint(person.folder) == before


def test_an_agent_may_not_do_it(person: OldPerson) -> None:
    person.environment["MEMORO_AGENT"] = "codex"
    done = person.types("uninstall", "--yes")
    assert done.code != 0 and "is for a person" in done.err
    assert (person.me / ".memoro").exists()


def test_files_with_a_password_or_a_key_stay_and_are_named(person: OldPerson) -> None:
    use(person)
    secret, inside = person.me / "memoro-ledger.password", person.me / ".memoro" / "key"
    for file in (secret, inside):
        file.write_text("tulip\n")
        file.chmod(0o600)
    for setting, value in (
        ("ledger.password", "file:~/memoro-ledger.password"),
        ("embedding.key", f"file:{inside}"),
        ("llm.key", "keyring:memoro/llm"),
    ):
        assert person.types("config", "set", setting, value).code == 0
    done = person.types("uninstall", "--yes")
    assert (done.code, done.err) == (0, "") and secret.exists() and not inside.exists()
    said = " ".join(done.out.split())
    assert f"Keeps {secret}, which `ledger.password` names." in said and "`embedding.key`" not in said
    assert "Keeps the keyring's entry memoro/llm, which `llm.key` names." in said
