"""A title that says what a session was about: never a greeting, never a question where something was done. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro.conversation import digest_cues as cues
from memoro.conversation import error_cues
from memoro.conversation.sentences import shortened, words
from memoro.conversation.spoken import Said
from memoro.model.personal_names import is_family
from memoro.model.session_digest import SessionDigest

TITLE_CHARACTERS = 80
_SHORT_QUESTION = 4  # words: such a title names its subject
_GENERIC = re.compile(
    r"^(?:new |untitled |neue[rs]? |nouvelle |nueva |nova |nuova )?(?:session|chat|conversation|thread|sitzung|"
    r"gespräch|discussion|"
    r"conversación|sesión|conversa|sessão|sessione|untitled|title|test|对话|会话)\b[\s\d:T.#-]*$",
    re.IGNORECASE,
)
# "I need a churn model" is about a churn model.
_WANTED = re.compile(
    r"\b(?:(?:I|we)(?: still| also| just)?|and|but) (?:need|want|would like)(?: you)?(?: to)? (?!(?:it|that|this|"
    r"them)\b)(?=\w)|\bI(?:'|’)d like(?: to)? |"
    r"\b(?:ich|wir) (?:muss|müssen|brauche|brauchen|möchte|möchten|will|wollen|soll|sollen) |"
    r"\b(?:j['’]ai besoin d['’e]|il (?:me|nous) faut|je (?:veux|voudrais)) ?|"
    r"\b(?:necesito|necesitamos|quiero|queremos|preciso de|precisamos de|quero|queremos|voglio|vorrei|"
    r"ho bisogno di) ",
    re.IGNORECASE,
)
_MESSAGE = re.compile(r"git (?:-\S+ \S+ )?commit\b.*?-\w*m[ =]*(?:\"([^\"\n]+)|'([^'\n]+))")


def session_title(hosts: str, talk: Sequence[Said], found: SessionDigest, commits: Sequence[str]) -> str:
    """Return the host's own title if it says something, else the task, the outcome, or at last the question."""
    prompts = [one.text for said in talk if said.by_user for one in said.sentences]
    begins = _beginning(talk)
    for text in (
        _of_host(hosts, prompts),
        _task(talk),
        begins,
        _commit(commits),
        *found.decisions[:1],
        *_named(found),
    ):
        if text:
            return shortened(_one_line(text), TITLE_CHARACTERS)
    return shortened(
        _one_line(next((one for one in map(_bare, prompts) if len(words(one)) > 1), "")), TITLE_CHARACTERS
    )


def _of_host(title: str, prompts: Sequence[str]) -> str:
    """Return the title that the host made, unless it says nothing, or only repeats the beginning of a prompt."""
    bare = _bare(title)
    if not bare or _GENERIC.match(title.strip()) or not words(bare):
        return ""
    if cues.QUESTION.search(bare):
        return bare.rstrip("?？ ") if len(bare.split()) <= _SHORT_QUESTION else ""
    first = _bare(prompts[0]) if prompts else ""
    repeats = bool(first) and len(bare) > 40 and first.startswith(bare.rstrip("….")[:40])
    return "" if repeats else title


def _task(talk: Sequence[Said]) -> str:
    """Return what the person wanted, as they said it first, if that is no question."""
    for said in [one for one in talk if one.by_user][:1]:
        for one in said.sentences:
            text = _bare(one.text)
            if _is_private_aside(one.text, said, talk):
                continue
            if cues.QUESTION.search(text) or len(words(text)) < 2 or error_cues.TELLS_TROUBLE.search(text):
                continue
            wanted = _WANTED.search(text)
            if wanted and len(words(text[wanted.end() :])) > 1:
                return text[wanted.end() :]
            if cues.TASK.search(one.text) or cues.STEP.match(text) or cues.DECIDES.search(text):
                return text
    return ""


def _beginning(talk: Sequence[Said]) -> str:
    """Return the first statement of the session: its subject."""
    first = next((said for said in talk if said.by_user), None)
    spoken = first.sentences if first else ()
    told = [_bare(one.text) for one in spoken if first and not _is_private_aside(one.text, first, talk)]
    return next((one for one in told if len(words(one)) > 2 and not cues.QUESTION.search(one)), "")


def _is_private_aside(text: str, first: Said, talk: Sequence[Said]) -> bool:
    """Return whether a sentence tells of family or health, beside another one, in a session about something else."""
    is_private = any(is_family("", (_bare(part).strip(),)) for part in re.split(r"[,:;–—]", text))
    if not is_private or _WANTED.search(text) or not any(one.text != text for one in first.sentences):
        return False
    about = words(text)
    others = [one.text for said in talk for one in said.sentences if one.text != text]
    return not any(len(words(other) & about) > 1 or is_family("", (other,)) for other in others)


def _commit(commands: Sequence[str]) -> str:
    messages = [found[1] or found[2] for found in map(_MESSAGE.search, commands) if found]
    return messages[-1].strip() if messages else ""


def _named(found: SessionDigest) -> list[str]:
    changed = [f"Changed {', '.join(found.files[:3])}"] if found.files else []
    return [*found.errors[:1], *changed]


def _bare(text: str) -> str:
    text = cues.GREETING.sub("", text.strip())
    text = cues.OPENING.sub("", text)
    return re.sub(
        r"^(?:(?:please|can you|could you|bitte|kannst du|i want you to|i(?:'|’)d like you to)\s+)+",
        "",
        text,
        flags=re.IGNORECASE,
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split()).lstrip("#-*> ").rstrip(".:;,。 ")
    return line[:1].upper() + line[1:] if re.match(r"[a-zäöü]+[\s,]", line) else line
