"""Tell which folders of a vault hold daily notes, by their names or because days name most of their notes."""

import re
from collections import Counter
from collections.abc import Collection
from functools import cache, lru_cache

from memoro.model.personal_names import is_personal_name, is_work_name, plain, words_in

# Written without accents: `plain` takes them off. A name of several words has hyphens here, and may have spaces.
_DIARIES = """
daily dailies daily-note daily-notes dailynote dailynotes daily-log daily-logs daily-journal diary diaries journal
journals bullet-journal bujo log logs logbook logbooks log-book daylog day-log lifelog life-log day-notes
notes-of-day notes-of-the-day agenda morning-pages memory
tagebuch tagebucher tagesnotiz tagesnotizen tagliche-notizen logbuch tageslog
journal-intime journal-de-bord carnet-de-bord notes-quotidiennes notes-du-jour quotidien
diario diarios diario-personal diario-de-bordo diario-di-bordo bitacora notas-diarias notas-del-dia notas-do-dia
note-giornaliere
dagboek dagboeken logboek dagnotities dagelijkse-notities
dagbok dagbocker loggbok dagsanteckningar dagliga-anteckningar daglige-notater dagbog dagboger logbog daglige-noter
paivakirja lokikirja dziennik pamietnik denik naplo gunluk ημερολογιο
дневник журнал ежедневник щоденник
日记 日志 日記 日誌 每日笔记 デイリーノート 일기 일지
"""
# A folder with such a word in its name has a note for each day on which something took place, and is no diary.
_EVENTS = """
meeting meetings standup standups minutes call calls interview interviews 1on1 1on1s retro retros retrospective
retrospectives sprint sprints review reviews weekly sync syncs workshop workshops
release releases changelog changelogs version versions deploy deploys deployment deployments incident incidents
postmortem postmortems oncall outage outages report reports decision decisions adr adrs experiment experiments
session sessions episode episodes transcript transcripts chat chats conversation conversations skill skills agent
agents archive template templates post posts blog article articles news newsletter newsletters lecture lectures
class classes lesson lessons course courses seminar seminars talk talks invoice invoices
besprechung besprechungen protokoll protokolle sitzung sitzungen vorlesung vorlesungen vorlagen rechnungen
reunion reunions reuniones reuniao reunioes riunione riunioni actas atas verbali compte comptes entretiens
vergadering vergaderingen notulen mote moter møte møter møde møder referat referater 会议 會議 議事録 회의
"""
# Folders that may hold a diary beside other things, as personal folders do.
_CONTAINERS = "notes note notizen notas appunti notities areas vault obsidian calendar kalender periodic"
_ARCHIVES = "archive archives archiv"
_OWNERS = "my our mein meine mon mes mi mis meu minha mio mia min mitt mijn"
_SEPARATOR = re.compile(r"[\W_]+")
_PERIOD = re.compile(r"\d{4}|(?:\d{4}-)?\d{1,2}(?:[-_ .]+[^\W\d_]+)?")  # 2026, 11, 2026-11, 11-November
_FEWEST = 2  # one note says nothing about most notes of its folder


def daily_folders(paths: Collection[str]) -> frozenset[str]:
    """Return the folders of these paths in which a note that is named by a day is a daily note.

    Folders of years and months belong to the folder above them: `logbook/2026/11` is a part of `logbook`.
    """
    folders = {path.rpartition("/")[0] for path in paths}
    named = {folder for folder in folders if _has_name_of_diary(folder)}
    days = Counter(folder for path in paths if _is_plain_day(path) if (folder := path[:-14]) not in named)
    counted = Counter[str]()
    for folder, count in days.items():
        if _may_be_diary(series := _series(folder)):
            counted[series] += count
    if not any(count >= _FEWEST for count in counted.values()):
        return frozenset(named)
    notes = Counter(_series(path.rpartition("/")[0]) for path in paths if path[-3:].lower() == ".md")
    most = {series for series, count in counted.items() if count >= _FEWEST and 2 * count > notes[series]}
    return frozenset(named.union(folder for folder in folders if _series(folder) in most))


def is_name_of_diary(name: str) -> bool:
    """Return whether a folder of this name holds daily notes: `Daily Notes`, `02_dagbok`, `My journal 2026`."""
    words = _words(name)
    while words and words[0] in words_in(_OWNERS):
        words = words[1:]
    return "-".join(words) in _diaries()


def _may_be_diary(folder: str) -> bool:
    """Return whether the notes of a folder may make it a diary, because its name says nothing else.

    It is at the top: below another folder it may be part of a project, and an extra folder may be somebody else's.
    """
    if not folder or "/" in folder or folder.startswith("@"):
        return False
    return words_in(_EVENTS).isdisjoint(_words(folder)) and not is_work_name(folder) and not is_personal_name(folder)


def _is_plain_day(path: str) -> bool:
    """Return whether a path below a folder ends in `/YYYY-MM-DD.md`: fast, for it is asked of each path."""
    if path[-14:-13] != "/" or path[-9:-8] != "-" or path[-6:-5] != "-" or path[-3:].lower() != ".md":
        return False
    return f"{path[-13:-9]}{path[-8:-6]}{path[-5:-3]}".isdecimal()


@lru_cache(maxsize=10_000)
def _has_name_of_diary(folder: str) -> bool:
    """Return whether the folder, or one above it, is called a diary, and may be that of the vault's owner."""
    names = folder.split("/")
    if folder.startswith("@"):
        extra = names.pop(0).removeprefix("@")
        if extra.endswith("-memory"):  # an agent's own, which says itself of which project it is
            return False
        names = [extra, *names] if is_name_of_diary(extra) else names  # an extra folder may have any name
    for name in names:
        if is_name_of_diary(name):
            return True
        if not _may_hold_diary(name):
            return False
    return False


def _may_hold_diary(name: str) -> bool:
    words = _words(name)
    return is_personal_name(name) or not (words_in(_CONTAINERS) | words_in(_ARCHIVES)).isdisjoint(words)


@lru_cache(maxsize=10_000)
def _series(folder: str) -> str:
    """Return the folder without those of years and months below it; the first of these where there is no other."""
    names = folder.split("/")
    while len(names) > 1 and _PERIOD.fullmatch(names[-1]):
        names.pop()
    return "/".join(names)


def _words(name: str) -> tuple[str, ...]:
    return tuple(word for word in _SEPARATOR.split(plain(name)) if word and not word.isdecimal())


@cache
def _diaries() -> frozenset[str]:
    return frozenset("-".join(_SEPARATOR.split(plain(name))) for name in words_in(_DIARIES))
