"""Keys of providers: where they may be read from, and that none of them is ever shown."""

from __future__ import annotations

import os
import pickle
import traceback
from pathlib import Path

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend

from memoro.errors import KeyRefused
from memoro.providers.keys import Key, default_key, read_key

SECRET = "sk-proj-9f8e7d6c5b4a39281706"


def key_file(folder: Path, text: str = f"{SECRET}\n", mode: int = 0o600) -> Path:
    path = folder / "provider.key"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_key_is_read_from_the_variable_that_the_owner_names() -> None:
    assert read_key("env:MY_KEY", {"MY_KEY": f" {SECRET}\n"}) == SECRET


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_is_read_from_a_file_of_the_owner_alone(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, mode=mode)
    assert read_key(f"file:{path}", {}) == SECRET
    assert read_key("file:~/provider.key", {"HOME": str(tmp_path)}) == SECRET


class OneKey(KeyringBackend):
    """A keyring that holds one key."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        if service == "broken":
            raise OSError(f"the agent said {SECRET}")
        return SECRET if (service, username) == ("memoro", "openai/work") else None

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


def test_a_key_is_read_from_the_keyring() -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(OneKey())
    try:
        assert read_key("keyring:memoro/openai/work", {}) == SECRET
        with pytest.raises(KeyRefused, match="keyring set memoro other"):
            read_key("keyring:memoro/other", {})
        with pytest.raises(KeyRefused) as refused:
            read_key("keyring:broken/openai", {})
        assert SECRET not in "".join(traceback.format_exception(refused.value))
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("mode", [0o640, 0o644, 0o604, 0o660, 0o700, 0o4600])
def test_a_key_file_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(KeyRefused, match="chmod 600"):
        read_key(f"file:{key_file(tmp_path, mode=mode)}", {})


def test_only_a_short_regular_file_is_read(tmp_path: Path) -> None:
    real = key_file(tmp_path)
    link, pipe, missing = tmp_path / "link", tmp_path / "pipe", tmp_path / "missing"
    link.symlink_to(real)
    os.mkfifo(pipe, 0o600)
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    for path, complaint in [(link, "is a link"), (pipe, "regular"), (folder, "regular"), (missing, "cannot be read")]:
        with pytest.raises(KeyRefused, match=complaint):
            read_key(f"file:{path}", {})
    with pytest.raises(KeyRefused, match="too large"):
        read_key(f"file:{key_file(tmp_path, 'k' * 5000)}", {})
    with pytest.raises(KeyRefused, match="full path"):
        read_key("file:provider.key", {})
    with pytest.raises(KeyRefused, match="no path can have"):
        read_key("file:/a\0b", {})


@pytest.mark.parametrize(
    "text", ["", " \n", f"{SECRET}\n{SECRET}", f"two {SECRET}", "kéy-9f8e7d6c", "a\0b", "x" * 4097]
)
def test_a_text_that_no_header_can_carry_is_no_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(KeyRefused) as refused:
        read_key("env:K", {"K": text})
    assert SECRET not in str(refused.value)
    with pytest.raises(KeyRefused):
        read_key(f"file:{key_file(tmp_path, text)}", {})


@pytest.mark.parametrize(
    "reference", [SECRET, f"env:{SECRET}", f"key:{SECRET}", f"keyring:{SECRET}", "env:", "file:", ""]
)
def test_a_key_in_the_place_of_its_reference_is_refused_and_not_repeated(reference: str) -> None:
    with pytest.raises(KeyRefused) as refused:
        read_key(reference, {})
    assert SECRET not in str(refused.value)


@given(st.text(max_size=40))
def test_any_text_is_a_reference_or_refused(reference: str) -> None:
    with pytest.raises(KeyRefused):
        read_key(f"x{reference}", {})


def test_without_a_reference_the_usual_variables_are_read() -> None:
    assert default_key("openai", {"OPENAI_API_KEY": SECRET}) == SECRET
    assert default_key("gemini", {"GOOGLE_API_KEY": SECRET}) == SECRET
    assert default_key("gemini", {"GOOGLE_API_KEY": "other", "GEMINI_API_KEY": SECRET}) == SECRET
    assert default_key("voyage", {"VOYAGE_API_KEY": SECRET}) == SECRET
    assert default_key("compatible", {"OPENAI_API_KEY": SECRET}) is None
    assert default_key("openai", {"OPENAI_API_KEY": " "}) is None


def test_a_key_shows_itself_to_its_own_host_alone() -> None:
    key = Key(SECRET, "api.openai.com")
    assert key.for_host("api.openai.com") == SECRET
    with pytest.raises(KeyRefused, match=r"not sent to evil\.example") as refused:
        key.for_host("evil.example")
    assert SECRET not in str(refused.value)
    assert SECRET not in f"{key!r} {key} {[key]}"
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert key == Key(SECRET, "api.openai.com") != Key(SECRET, "other.example")
    assert len({key, Key(SECRET, "api.openai.com")}) == 1


@given(st.integers(0, len(SECRET) - 6), st.integers(6, len(SECRET)), st.text(max_size=10), st.text(max_size=10))
def test_no_part_of_a_key_is_left_in_a_text(start: int, length: int, before: str, after: str) -> None:
    part = SECRET[start : start + length]
    assert part not in Key(SECRET, "h").mask(f"{before}{part}{after} is wrong")


def test_masking_leaves_other_words_alone() -> None:
    assert Key(SECRET, "h").mask(f"The key {SECRET}, given twice") == "The key *** given twice"
    assert Key("short", "h").mask("a short word") == "a *** word"
