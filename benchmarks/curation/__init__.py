"""A year under curation: is there junk in the always-loaded files, how large do they get, are proposals worth it?

The simulated year (benchmarks/year) is lived with extraction by rules; every week a round of curation is made, and an
ideal owner (`owner.py` has the rule) decides what waits.

Environment: MEMORO_YEAR_SEED (1; a list), MEMORO_YEAR_WORDS (`year`; `year-b` is for checking only),
MEMORO_CURATION_SHOW (`rejected` or `accepted` prints those proposals).
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

import memoro
from benchmarks.curation.life import CuratedYear, DecidedProposal
from benchmarks.year.probes import make_year
from benchmarks.year.ways import Clock
from benchmarks.year.words import read_words
from memoro.model.proposals import changed_texts

_SETTINGS = '[transcripts]\nfolders = ["{logs}"]\n\n[extract]\nto = "memories"\nmin_user_messages = 1\n'


def run() -> None:
    world = os.environ.get("MEMORO_YEAR_WORDS", "year")
    for seed in map(int, os.environ.get("MEMORO_YEAR_SEED", "1").split()):
        print(f"{world}, seed {seed}")
        _print(live(world, seed))


def live(world: str, seed: int) -> CuratedYear:
    """Live the year once."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("vault", "logs"):
            (place / name).mkdir()
        (place / "home").mkdir(mode=0o700)
        (place / "home" / "memoro.toml").write_text(_SETTINGS.format(logs=place / "logs"))
        clock = Clock()
        with memoro.open(place / "home", place / "vault", clock=clock) as m:
            lived = CuratedYear(place / "logs", m, clock, make_year(seed, world), read_words(world))
            lived.live()
            return lived


def _print(lived: CuratedYear) -> None:
    weeks, decided = lived.weeks, lived.decided
    last = weeks[-1]
    junk = {text for week in weeks for text in week.junk}
    made = [week.made for week in weeks]
    print(f"facts extracted                    {lived.extracted}")
    print(f"junk lines in always-loaded files  {max(len(week.junk) for week in weeks)} at most, {len(junk)} ever")
    print(f"lines at the end                   {last.lines}, of them outdated {last.outdated}")
    print(f"outdated lines, mean of weeks      {sum(week.outdated for week in weeks) / len(weeks):.1f}")
    print(
        f"tokens of MEMORY.md                {last.tokens} at the end, {max(week.tokens for week in weeks)} at most"
    )
    print(f"proposals a week                   {sum(made) / len(made):.1f} on average, {max(made)} at most")
    _print_shares(decided)
    print(f"withheld by the gate: {dict(lived.withheld)}")
    for one in decided if (show := os.environ.get("MEMORO_CURATION_SHOW", "")) else ():
        if one.is_accepted == (show == "accepted"):
            print(f"  week {one.week}: {_told(one)}")
    for text in sorted(junk):
        print(f"  junk: {text}")


def _print_shares(decided: list[DecidedProposal]) -> None:
    accepted = sum(one.is_accepted for one in decided)
    print(f"accepted                           {accepted} of {len(decided)} ({_percent(accepted, len(decided))})")
    print(f"refused at acceptance              {sum(bool(one.refused) for one in decided)}")
    for name, key in (("origin", lambda one: one.proposal.origin), ("kind", lambda one: one.proposal.operation)):
        counts = Counter(key(one) for one in decided)
        yes = Counter(key(one) for one in decided if one.is_accepted)
        told = ", ".join(f"{what} {yes[what]}/{count}" for what, count in counts.most_common())
        print(f"accepted by {name:7}                {told}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"


def _told(one: DecidedProposal) -> str:
    proposal = one.proposal
    quotes = " | ".join(evidence.quote for evidence in proposal.evidence)
    said = " / ".join(changed_texts(proposal.change)) or str(tuple(proposal.change))
    why = f" REFUSED {one.refused}" if one.refused else ""
    return f"{proposal.origin} {proposal.operation}: {said} — {proposal.reason} [{quotes}]{why}"
