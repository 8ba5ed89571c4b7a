"""Which candidates are compared, and how many words two of them share."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.names import Subjects
from memoro.search.newest import LONGEST
from memoro.search.pairs import near_pairs
from tests.conftest import write_vault

words = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)


@given(told=st.lists(words, min_size=2, max_size=6))
def test_half_of_the_share_of_common_words_makes_two_near(told: list[frozenset[str]]) -> None:
    import numpy

    nobody = Subjects(frozenset(), frozenset())
    found = near_pairs([nobody] * len(told), told, numpy.zeros((len(told), 3), numpy.float32), [False] * len(told))
    plain = {
        (i, j): 0.5 * len(told[i] & told[j]) / max(1, min(len(told[i]), len(told[j])))
        for i in range(len(told))
        for j in range(i)
        if told[i] & told[j]
    }
    assert {(pair.one, pair.other): round(pair.near, 5) for pair in found} == {
        places: round(near, 5) for places, near in plain.items()
    }


def test_long_prose_is_not_replaced_as_a_whole(tmp_path: Path) -> None:
    prose = "The web shop uses Postgres 14. " + "Many other things are told here at length. " * 8
    assert len(prose) > LONGEST
    for number, text in enumerate((prose, "The web shop uses Postgres 14.")):
        notes = {"2025-01-01.md": text, f"{date(2025, 6, 1)}.md": "The web shop now uses MySQL 8, not Postgres 14."}
        vault = write_vault(tmp_path / f"vault{number}", notes)
        with memoro.open(tmp_path / f"home{number}", vault) as m:
            found = {hit.path: hit for hit in m.search("which database does the web shop use").results}
        assert (found["2025-01-01.md"].replaced_by is None) == (text == prose)
