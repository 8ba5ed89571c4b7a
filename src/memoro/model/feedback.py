"""The owner's feedback on answers: how a prompt gives it, and the entries of the files that keep it. Pure.

An entry is one bullet with indented ones below it, so that people can read, edit and delete it:

    - 2026-11-16 14:30 [wrong] The port is 8443. ^w3k9f2
      - question: Which port does staging use?
      - answer: Staging listens on 8080.
      - log: @claude/-w/s1.jsonl:14
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from memoro.model.entry_ids import free_id
from memoro.model.feedback_places import ARCHIVE, FILES
from memoro.model.fence import without_fenced
from memoro.model.phrases import compiled
from memoro.model.vocabulary import FEEDBACK_KINDS, PERSON, FeedbackKind, parse_choice

SOURCE = "feedback"  # of the changes that feedback makes
_NEVER = "Memoro never searches this file and never gives it to an agent."
_HEADERS: dict[FeedbackKind, str] = {
    "wrong": f"# Corrections\n\nAnswers that you marked with `memoro wrong`. {_NEVER}\n\n",
    "good": f"# Rewards\n\nAnswers that you marked with `memoro good`. {_NEVER}\n\n",
}

NOTE_CHARACTERS, QUESTION_CHARACTERS, ANSWER_CHARACTERS = 1000, 300, 600
_FIRST = r"- (\d{4}-\d\d-\d\d) (\d\d:\d\d) \[(wrong|good)\](?:[ \t]+(.*))?"
_FIELD = r"[ \t]+- (question|answer|project|session|host|log|by): (.*)"
_ID = r"(?:(.*)[ \t])?\^([A-Za-z0-9-]{1,200})"
_DAILY_NOTE, _DAILY_QUESTION = 240, 120  # characters of a note, and of a question, in the line of the day
CORRECTION = "Correction by the user"  # begins the line of the day that a note of its owner makes
_LINE = r"(\s*(?:[-*+]\s+)?(?:\d\d:\d\d\s+)?)"
_MARKED = rf"{_LINE}\[(?:wrong|good)\](?:\s|$)"
_CORRECTED = rf"{_LINE}{CORRECTION}(?: to “|:)"
_CORRECTION_PARTS = rf"{_LINE}{CORRECTION}(?: to “(?P<question>.*?)”)?: (?P<note>.+?)(?:\s+#project/\S+)?\s*"
# As earlier versions wrote it. The question may be cut, so that nothing says where it ends but the tag.
_CORRECTED_BEFORE = (
    rf"{_LINE}\[wrong\] (?!answer to: |an answer\b)(.+?) — (?:answer to: (.*?)|an answer)(\s+#project/\S+)?\s*"
)
# Slash commands, by themselves or of the plugin; the command of the terminal, in one line; and `wrong:` in one line,
# for hosts that refuse unknown slash commands. Not `good:`: ordinary prompts begin with it ("good: now add tests").
_COMMAND = r"(?s)/(?:memoro:)?(wrong|good)(?:\s+(.*))?"
_TERMINAL = r"memoro (wrong|good)(?:[ \t]+([^\r\n]*))?"
_LEADS = ("/", "memoro ")  # asked of every prompt, before a pattern is compiled
# People answer before they correct: "ok. wrong: …", "no, wrong: …". A mark must follow: "no wrong: …" is no answer.
_REPLY = r"(?:ok|okay|k|yes|yeah|yep|no|nope|nah|hm+|uh|um|oh|ah|well|sorry|thanks|thank you|ja|nein|naja|danke|stop)"
_COLON = rf"(?i:(?:{_REPLY}[ \t]*[.,;:!…–—-]+[ \t]+){{0,2}}wrong):[ \t]+(\S[^\r\n]{{0,300}})"
_WITHIN = 32  # characters in which "wrong:" ends


class GivenFeedback(NamedTuple):
    """The feedback of a prompt on the answer before it."""

    kind: FeedbackKind
    note: str
    is_command: bool = True  # False: the prompt is also a message, to be answered with context


class Correction(NamedTuple):
    """What the owner said is right, and to which question."""

    question: str  # empty: to none that is known
    note: str


class FeedbackEntry(NamedTuple):
    """One answer that the owner marked, as it stands in a file of the vault."""

    id: str
    kind: FeedbackKind
    at: str  # local time, as YYYY-MM-DDTHH:MM
    note: str = ""
    question: str = ""  # of the owner, shortened
    answer: str = ""  # of the agent, shortened
    project: str | None = None
    session: str | None = None
    host: str | None = None  # of the conversation
    log: str | None = None  # PATH:LINE of the question in the log of the conversation
    by: str = PERSON  # an agent that says that its user said so
    path: str = ""  # of the file, and the first and last line of the entry in it
    line: int = 0
    last: int = 0

    @property
    def place(self) -> tuple[str | None, str]:
        """Return the mark that tells two exchanges apart: the place of the question, else its words."""
        return self.session, self.log or self.question


def daily_text(entry: FeedbackEntry) -> str:
    """Return the line of the day. The owner's correction is told as one; else it says that an answer was marked."""
    note, question = shortened(entry.note, _DAILY_NOTE), shortened(entry.question, _DAILY_QUESTION)
    if entry.kind == "wrong" and entry.by == PERSON and _says_something(note):
        return _correction(note, question)
    marked = f"[{entry.kind}] answer to: {question}" if question else f"[{entry.kind}] an answer"
    if not note:
        return marked
    return f"{marked} — {note}" if entry.by == PERSON else f"{marked} — {entry.by} says: {note}"


def _says_something(note: str) -> bool:
    """Return whether a note has a word with a topic: "No." corrects nothing."""
    from memoro.model.sentences import topic_words  # every prompt loads this module

    return bool(topic_words(note))


def _correction(note: str, question: str) -> str:
    """Return a sentence that ends with what is right: who reads its end alone is not misled."""
    return f"{CORRECTION} to “{question}”: {note}" if question else f"{CORRECTION}: {note}"


def is_of_feedback(line: str) -> bool:
    """Return whether feedback wrote a line of a daily note, in this version or an earlier one."""
    return is_correction(line) or compiled(_MARKED).match(line) is not None


def is_correction(line: str) -> bool:
    """Return whether a line of a daily note tells what the owner said is right."""
    return CORRECTION in line and compiled(_CORRECTED).match(line) is not None


def corrections_in(text: str) -> list[Correction]:
    """Return the corrections in lines of a daily note, as `told_text` gives them."""
    found = (compiled(_CORRECTION_PARTS).fullmatch(line) for line in text.split("\n") if CORRECTION in line)
    return [Correction(one["question"] or "", one["note"]) for one in found if one]


def told_line(line: str) -> str:
    """Return a line of a daily note as an agent is given it unasked: nothing where it says how an answer was marked.

    A correction that an earlier version wrote as `[wrong] …` is told as one: its mark looks as if it were wrong.
    """
    if compiled(_MARKED).match(line) is None:
        return line
    if found := compiled(_CORRECTED_BEFORE).fullmatch(line):
        lead, note, question, tag = found.groups(default="")
        return f"{lead}{_correction(note, question)}{tag}"
    return ""


def told_text(text: str) -> str:
    """Return lines of a daily note as an agent is given them unasked; empty where none but headings are left."""
    lines = text.split("\n")
    told = list(map(told_line, lines))
    if told == lines:
        return text
    kept = [new for new, old in zip(told, lines, strict=True) if new or not old]
    return "\n".join(kept) if any(line.strip() and not line.startswith("#") for line in kept) else ""


def feedback_in(prompt: str) -> GivenFeedback | None:
    """Return the feedback that a prompt gives; None for an ordinary prompt, such as "wrong file, open x"."""
    text = without_fenced(prompt).strip()
    start = text[:_WITHIN].lower()
    if not start.startswith(_LEADS) and "wrong:" not in start:
        return None
    if command := compiled(_COMMAND, 0).fullmatch(text) or compiled(_TERMINAL, 0).fullmatch(text):
        return GivenFeedback(_kind(command[1]), " ".join((command[2] or "").split()))
    if correction := compiled(_COLON, 0).fullmatch(text):
        return GivenFeedback("wrong", " ".join(correction[1].split()), is_command=False)
    return None


def told_message(text: str) -> str:
    """Return a message as an agent is given it: "wrong: X" says that X is right, and reads as its opposite."""
    given = feedback_in(text)
    return f"Correction: {given.note}" if given is not None and given.kind == "wrong" and given.note else text


def archive_path(entry: FeedbackEntry) -> str:
    return f"{ARCHIVE}/{entry.at[:4]}.md"


def header(path: str) -> str:
    """Return the beginning of a new file."""
    kind = next((kind for kind, file in FILES.items() if file == path), None)
    if kind is not None:
        return _HEADERS[kind]
    year = path.rpartition("/")[2].removesuffix(".md")
    return f"# Feedback of {year}\n\nWhat rules were made from. {_NEVER}\n\n"


def parse(text: str, path: str = "") -> list[FeedbackEntry]:
    """Return the entries of a file, in order. Lines that are none are passed over."""
    found: list[FeedbackEntry] = []
    open_entry = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r").rstrip(" \t")
        if first := compiled(_FIRST, 0).fullmatch(line):
            found.append(_begun(first, path, number, {one.id for one in found}))
            open_entry = True
        elif open_entry and line and line[0] in " \t":
            found[-1] = _with_field(found[-1], compiled(_FIELD, 0).fullmatch(line))._replace(last=number)
        else:
            open_entry = False
    return found


def _begun(first: re.Match[str], path: str, number: int, taken: Collection[str]) -> FeedbackEntry:
    words, own = _without_id((first[4] or "").strip())
    return FeedbackEntry(
        id=own or free_id(first[0], taken),
        kind=_kind(first[3]),
        at=f"{first[1]}T{first[2]}",
        note=words,
        path=path,
        line=number,
        last=number,
    )


def _with_field(entry: FeedbackEntry, field: re.Match[str] | None) -> FeedbackEntry:
    if field is None:  # a line that a person put there
        return entry
    fields: dict[str, str] = {field[1]: field[2].strip()}
    return FeedbackEntry(**{**entry._asdict(), **fields})


def _without_id(text: str) -> tuple[str, str | None]:
    found = compiled(_ID, 0).fullmatch(text)
    return ((found[1] or "").rstrip(), found[2]) if found else (text, None)


def _kind(text: str) -> FeedbackKind:
    return parse_choice(text, FEEDBACK_KINDS, "kind of feedback")


def rendered(entry: FeedbackEntry, end: str = "\n") -> str:
    """Return the lines of an entry. Its texts must be single lines (`plain` of `vault.entries` makes them so)."""
    note = f" {entry.note}" if entry.note else ""
    lines = [f"- {entry.at.replace('T', ' ')} [{entry.kind}]{note} ^{entry.id}"]
    fields = {
        "question": entry.question,
        "answer": entry.answer,
        "project": entry.project,
        "session": entry.session,
        "host": entry.host,
        "log": entry.log,
        "by": entry.by if entry.by != PERSON else None,
    }
    lines += [f"  - {name}: {value}" for name, value in fields.items() if value]
    return "".join(f"{line}{end}" for line in lines)


def with_entry(text: str, entry: FeedbackEntry) -> str:
    """Return a file with an entry at its end; the same text where the entry is there already."""
    known = parse(text)
    if any(one.id == entry.id for one in known):
        return text
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    missing = "" if not text or text.endswith("\n") else end
    # Right below words that are no entry, Markdown takes a bullet for a part of them.
    lines = text.split("\n")
    follows = bool(known) and not any(line.strip() for line in lines[known[-1].last :])
    apart = "" if follows or not lines[-2:-1] or not lines[-2].strip() else end
    return f"{text}{missing}{apart}{rendered(entry, end)}"


def without_entries(text: str, ids: Collection[str]) -> str:
    """Return a file without the entries of these ids; every other line stays as it is."""
    gone = {n for one in parse(text) if one.id in ids for n in range(one.line, one.last + 1)}
    return "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in gone)


def shortened(text: str, most: int) -> str:
    """Return at most so many characters, cut at the end of a word."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ", most // 2)
    return f"{cut[: space if space > 0 else most - 1].rstrip(' ,;:')}…"


def same_exchange(entries: Sequence[FeedbackEntry], wanted: FeedbackEntry) -> list[FeedbackEntry]:
    """Return the entries of the same kind about the same exchange."""
    return [one for one in entries if one.kind == wanted.kind and one.place == wanted.place]
