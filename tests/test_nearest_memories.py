"""What a store names beside the new memory: what it may replace, and what says the same, not just anything near."""

from __future__ import annotations

from pathlib import Path

import pytest

import memoro
from memoro.memories.results import NearMemory
from tests.conftest import write_vault

REPLACED = [
    ("Staging listens on port 8443", "The port of staging is 9000 now"),
    ("Lena drinks black tea", "Lena drinks green tea"),
    ("We deploy on Fridays", "Deploys are on Tuesday"),
    ("I live in Porto", "I moved to Lisbon"),
    ("The backup disk is called Heron", "Our backup disk is named Crane"),
    ("Anna works at Contoso", "Anna Berg has a new job at Fabrikam"),
    ("The dentist appointment is on 12 March at ten", "The dentist appointment was moved to 19 March"),
    ("My favourite colour is blue", "I like green best now"),
    ("The standup is at 9:30", "Standup moved to 10"),
    ("We rent the office in Main Street", "The office moved to Harbour Road"),
    ("Use tabs for indentation", "Indent with four spaces"),
    ("The server runs in Frankfurt", "The server runs in Dublin now"),
]
UNRELATED = [
    ("The dentist is on 12 March at ten", "The car is at the garage until Friday"),
    ("Staging listens on port 8443", "Lena drinks green tea"),
    ("The spare badge is in drawer 4", "Standup is at half past nine"),
    ("The oven is broken", "Anna Berg works at Fabrikam"),
    ("The cake needs three eggs", "The domain expires in May"),
    ("The invoice number is 4711", "The doctor's appointment is in June"),
    ("Ben's phone number is 555 0101", "Use four spaces for indentation"),
    ("The plumber comes on Thursday", "Invoices are sent by email"),
    ("Bins go out on Tuesday evening", "The release branch is called release/2.3"),
    ("Paul prefers tea", "The server runs in Frankfurt"),
    ("The rent is paid on the first", "The cat eats dry food"),
    ("Lena likes walking in the park", "We deploy on Tuesdays"),
]
SAME = [
    ("The courier brings the parcel to house 37", "The courier brings parcels to house 37"),
    ("Our bins go out on Tuesday evening", "Bins go out on Tuesday evening."),
    ("Anna has the key of the shed", "Anna has the shed key"),
    ("The payment API signs requests with HMAC", "The payment API signs all requests with HMAC"),
]
DIFFERENT = [
    ("Plan A is shared now", "Plan B is shared now"),
    ("The team uses vitamin C tablets", "The team uses vitamin D tablets"),
    ("Room 1 is booked for the workshop", "Room 2 is booked for the workshop"),
    ("Anna keeps the spare key of the old garden shed", "Ben keeps the spare key of the old garden shed"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nearest")


def nearest(folder: Path, old: str, new: str) -> list[NearMemory]:
    """What a store names in a small ledger whose memories have vectors."""
    vault = write_vault(folder / "vault", {"attic.md": "# Attic\n\nThe attic is dusty.\n"})
    with memoro.open(folder / f"home-{abs(hash((old, new)))}", vault) as m:
        m.memories.store(old)
        m.sync()
        return list(m.memories.store(new).nearest)


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_a_new_memory_may_replace_is_named(folder: Path, old: str, new: str) -> None:
    assert [one.memory.content for one in nearest(folder, old, new)] == [old]


@pytest.mark.parametrize(("old", "new"), UNRELATED)
def test_what_has_nothing_to_do_with_a_new_memory_is_not_named(folder: Path, old: str, new: str) -> None:
    assert nearest(folder, old, new) == []


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_in_almost_the_same_words_is_marked(folder: Path, old: str, new: str) -> None:
    assert [one.says_the_same for one in nearest(folder, old, new)] == [True]


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_almost_the_same_words_about_another_thing_are_not_the_same(folder: Path, old: str, new: str) -> None:
    assert [one.says_the_same for one in nearest(folder, old, new)] == [False]
