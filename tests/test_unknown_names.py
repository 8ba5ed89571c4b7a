"""Capitalised words in a row of a query that are no known name: whom it asks about, and what is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoro.model.names import Subject, known_names, subjects_asked
from tests.test_subjects import opened

HUBER = "# Alois Huber\n\nFarmer in Aham. Sells hay.\n\n## Phone\n\n0151 5550 884\n"
RIED = "# Jonas Ried\n\nTierarzt. Phone 0160 5550 12.\n"
IN_THE_VAULT = {"": ("huber.md", "ried.md"), "people/": ("people/huber.md", "people/ried.md")}


@pytest.mark.parametrize("folder", IN_THE_VAULT)
@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("Huber Telefon", 0),
        ("Hubers Telefon", 0),
        ("Telefonnummer von Huber", 0),
        ("Wie ist die Telefonnummer von Huber", 0),
        ("Huber Adresse", 0),
        ("Huber Invoice", 0),
        ("Huber Traktor", 0),
        ("Heu von Huber", 0),
        ("Jonas Telefon", 1),
        ("Jonas Tierarzt", 1),
        ("Tierarzt Telefon", 1),
    ],
)
def test_a_noun_beside_a_name_does_not_hide_who_bears_it(tmp_path: Path, folder: str, query: str, place: int) -> None:
    paths = IN_THE_VAULT[folder]
    with opened(tmp_path, dict(zip(paths, (HUBER, RIED), strict=True))) as m:
        found = m.search(query).results

    assert found[0].path == paths[place]


def test_a_noun_beside_a_name_is_answered_unasked(tmp_path: Path) -> None:
    with opened(tmp_path, {"huber.md": HUBER, "ried.md": RIED}) as m:
        block = m.recall("Wie ist die Telefonnummer von Huber?", proactive=True).block

    assert "0151 5550 884" in block
    assert "0160" not in block


@pytest.mark.parametrize("name", ["Anna Huber", "Alois Ried"])
def test_another_person_with_one_of_the_names_is_another(tmp_path: Path, name: str) -> None:
    with opened(tmp_path, {"huber.md": HUBER, "ried.md": RIED}) as m:
        found = m.search(f"{name} phone", min_score=0).results

    values = {hit.path: part.value for hit in found for part in hit.explanation.parts if part.name == "subject"}
    assert values["huber.md"] == -1


@pytest.mark.parametrize(
    ("query", "texts", "asked"),
    [
        ("Where is Sara Lindqvist?", [], {"sara lindqvist"}),
        ("Where is Marek Traktor?", ["Alois Huber sells hay."], {"marek traktor"}),  # as far as anything tells
        ("Hay Silage", ["Alois Huber sells hay."], set()),
        ("Huber Silage", ["Alois Huber sells hay."], set()),
        ("Huber Silage", ["Alois Huber sells hay.", "There is Huber Silage in the barn."], {"huber silage"}),
        ("Alois Huber Silage", ["I met Alois Huber."], {"alois huber"}),
        ("Marek Huber", ["I met Alois Huber.", "I met Marek Berg."], {"marek huber"}),
        ("Telefon von Marek Berg", [], {"marek berg"}),
        ("Marek Tal", ["I met Marek Berg."], set()),
        ("Where does Marek Tal live?", ["I met Marek Berg."], {"marek tal"}),
    ],
)
def test_which_capitalised_words_are_asked_about(query: str, texts: list[str], asked: set[str]) -> None:
    known = known_names([])

    assert set(subjects_asked(query, known, None, texts)) == set(map(Subject, asked))
