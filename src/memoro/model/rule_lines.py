"""The lines of a passage that state a standing rule or a preference, from notes, memories and conversations."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoro.model.notes import kind_of
from memoro.model.phrases import Phrases, compiled
from memoro.model.remembered import remembered
from memoro.model.rule_forms import (
    confirms,
    is_left_to_do,
    is_passing,
    lays_down,
    may_decide,
    only_agrees,
    proposes,
)
from memoro.model.sentence_ends import join_abbreviated
from memoro.model.standing_rules import may_state_rule, states_rule
from memoro.model.task_topics import topics_of
from memoro.model.tokens import tokens
from memoro.model.vocabulary import Tier

MOST_TOKENS = 60  # of one rule
_AGENT = "Assistant"
_FEW = 3  # words of a sentence that says something only together with the next
_SHORT = 25  # words
_LEAST_LETTERS, _LEAST_SIGNS = 8, 4  # of a rule; signs of scripts in which each is a word
_LONG_TURN = 1500  # characters: a longer turn is pasted text, a log or a plan
# Titles, folders and headings under which every line is a rule.
_OF_RULES = Phrases(
    (
        "style|convention|rule|guideline|how we|how i|preference|contributing|standard|principle|agreement|practice",
        r"\b(?:style(?: ?guides?| ?sheets?)?|conventions?|(?:house |ground )?rules|guidelines?"
        r"|how (?:we|i) (?:work|write|do)|preferences?|contributing|(?:coding |code )?standards|principles"
        r"|working agreements?|best practices)\b",
    ),
    ("do's|dos and", r"\bdo'?s and don'?ts\b"),
    (
        "regeln|stil|konvention|richtlinie|leitfaden|vorgaben|grundsätze|vorlieben|arbeitsweise|so arbeite",
        r"\b(?:\w*regeln|stil|stilblatt|konventionen|\w*richtlinien|leitfaden|vorgaben|grundsätze|vorlieben|arbeitsweise"
        r"|so arbeiten? (?:wir|ich))\b",
    ),
    (
        "règles|préférence|consignes|reglas|estilo|convenc|preferenc|normas|pautas|regras|convenç|preferênc|diretrizes",
        r"\b(?:règles|préférences|consignes|reglas|estilo|convenciones|preferencias|normas|pautas|regras|convenções"
        r"|preferências|diretrizes)\b",
    ),
    ("规范|约定|规则|风格|偏好|指南", r"规范|约定|规则|风格|偏好|指南"),
)
_RULE_TAGS = frozenset(["rule", "rules", "preference", "preferences", "convention", "conventions", "style", "regel"])
_NAME_PARTS = r"[/_.-]+"
_BULLET = r"^\s*(?:[-*+]|\d+[.)])\s+(?P<todo>\[[ xX]\] )?"
_LABEL = r"^[*_`]{0,3}(?P<label>[^\W\d_][\w+#./& ()-]{0,40})[*_`]{0,3}(?::[*_`]{0,3} +|：)(?=\S)"
_LABEL_WORDS = 4
# "For all scripts: …", "small thing for all code in here: …"
_OF_ALL = (
    r"(?i)^.{0,30}\b(?:for|in|für|bei) (?:all|every|any|alle[snm]?|jede[mnrs]?)(?: our| my| the)? "
    r"(?P<what>[\w -]{2,30}?):"
)
_FOR_ALL = Phrases(
    (
        "ask|show me|before you|don't touch|leave |frag mich|zeig mir",
        r"\b(?:ask me|(?:without|before) asking|ask first|show me (?:the|a) \w+|before you \w+|don't touch"
        r"|leave .{3,30} alone|frag mich|zeig mir (?:erst|zuerst))\b",
    ),
    ("rule", r"\b(?:one|another) rule\b|\brule (?:number|no)\b"),
    (
        "all |everything",
        r"\b(?:for|in) (?:all (?:our|my|the|your)? ?(?:work|texts?|code|answers)|everything (?:you|we|i)\b)",
    ),
    (
        "grundsätz|merksatz|generell|für alle|in allem",
        r"\bgrundsätzlich\w*|\bmerksatz\b|\bgenerell\b|\bfür alles\b|\bin allem\b",
    ),
)
_SENTENCE_END = r"(?<=[.!?])\s+(?=[\w\"'„“(`])|(?<=[。！？])"
_TURN = r"^\s*[^\s:]{1,40}: "
# What stands before a rule in a turn and is no part of it.
_LEAD = (
    r"(?i)^(?:(?:ok(?:ay)?|good|great|fine|nice|perfect|thanks|thank you|right|yes|yep|yeah|sure|cool|agreed|exactly"
    r"|also|and|oh|hm+|gut|ja|genau|danke|super|passt|prima|okay|einverstanden|und|übrigens|sim|sí|oui|vale|d'accord"
    r"|fijn|mooi|oké|top|dank je|obrigad[oa]|gracias|merci|perfecto|tak|dzięki)"
    r"[,.:!;–-]+\s+)+"
)


class RuleLine(NamedTuple):
    """One rule as it is given."""

    text: str
    label: str = ""  # what it is about: "Errors" of "Errors: no panics"
    scope: str = ""  # what the note that holds it is about, by its folder, title and headings
    is_sure: bool = True  # False: it may be a decision about one thing
    is_for_all: bool = False  # it says that it holds for everything in its project
    offset: int = 0  # lines from the beginning of its passage


class RulePlace(NamedTuple):
    """Where a passage stands, as far as that tells whether it rules."""

    path: str
    tier: Tier
    title: str = ""
    headings: tuple[str, ...] = ()
    speaker: str | None = None


def states_rules(text: str, place: RulePlace) -> bool:
    """Return whether a passage of a note or a conversation states a rule."""
    return any(True for _ in _lines(text, place))


@remembered(2048)
def rule_lines(text: str, place: RulePlace) -> tuple[RuleLine, ...]:
    """The rules of a passage. A memory or an experience that was marked as a rule is one as a whole."""
    if kind_of(place.path) in ("memory", "experience"):
        return (_rule(" ".join(text.split())),)
    return tuple(_lines(text, place))


def is_settled(text: str, speaker: str, reply: str) -> bool:
    """Return whether the reply to a turn makes a rule of it: an agent notes it, or a person agrees to a proposal."""
    if speaker == _AGENT:
        return only_agrees(reply) and bool(settled_lines(text, speaker))
    return confirms(reply) and bool(settled_lines(text, speaker))


def settled_lines(text: str, speaker: str) -> tuple[RuleLine, ...]:
    """The rules of a turn that its reply made one: an agent's proposal, or all that a person said in few words."""
    said = compiled(_TURN, 0).sub("", text, count=1).strip()
    if len(said) > _LONG_TURN or "```" in said:
        return ()
    if speaker == _AGENT:
        found = [one for one in _sentences(said) if proposes(one) and _may_be_rule(one)]
    else:
        is_one_rule = (
            _may_be_rule(said) and "?" not in said and "\n" not in said and not any(map(is_passing, _sentences(said)))
        )
        found = [_without_lead(said)] if is_one_rule else []
    return tuple(_rule(one)._replace(is_sure=False) for one in found[:1] if topics_of(one))


def is_rule_memory(text: str, tags: Iterable[str]) -> bool:
    """Return whether a memory states a rule, by its words or by a tag that says so."""
    return not _RULE_TAGS.isdisjoint(tag.casefold() for tag in tags) or any(map(lays_down, _sentences(text)))


def is_of_rules(place: RulePlace) -> bool:
    """Return whether the name of a note, of its folder or of a heading says that it holds rules."""
    if place.tier == "procedural":
        return True
    if place.tier in ("daily", "episodic", "semantic"):
        names = place.headings
    else:
        names = (
            *compiled(_NAME_PARTS, 0).sub(" ", place.path.removesuffix(".md")).split("  "),
            place.title,
            *place.headings,
        )
    return any(map(_names_rules, names))


@remembered(1024)
def _names_rules(name: str) -> bool:
    """Return whether a name says that rules are below it; passages of one note share most names."""
    return _OF_RULES.are_in(name)


def _lines(text: str, place: RulePlace) -> Iterator[RuleLine]:
    if place.speaker is not None:
        return _of_turn(text, place.speaker)
    if kind_of(place.path) != "note":
        return iter(())
    if place.tier == "episodic":  # tells what was said in a conversation, whose own words are found
        return iter(())
    return _of_note(text, place)


def _of_note(text: str, place: RulePlace) -> Iterator[RuleLine]:
    every = is_of_rules(place)
    if not every and not may_state_rule(text):
        return
    for offset, line in _note_lines(text):
        for sentence in [line] if tokens(line) <= MOST_TOKENS else _sentences(line):
            if _may_be_rule(sentence) and (every or _rules_by_itself(sentence)):
                yield _rule(sentence)._replace(scope=_scope(place), offset=offset)


def _scope(place: RulePlace) -> str:
    names = (*place.path.rpartition("/")[0].split("/"), place.title, *place.headings[1:])
    return " ".join(" ".join(_OF_RULES.sub(" ", name) for name in names).split())


def _rules_by_itself(sentence: str) -> bool:
    """Return whether a line of any note is a rule: a short one. Instructions and stories say "always" as well."""
    return len(sentence.split()) <= _SHORT and states_rule(sentence)


def _note_lines(text: str) -> Iterator[tuple[int, str]]:
    """The bullets and paragraphs of a note, each as one line, with where they begin. Tasks and code are left out."""
    held: list[str] = []
    start, in_code = 0, False
    for number, line in enumerate([*text.split("\n"), ""]):
        bullet = compiled(_BULLET, 0).match(line)
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if held and (bullet or is_fence or not line.strip() or line.startswith("#")):
            yield start, " ".join(held)
            held = []
        in_code ^= is_fence
        if in_code or is_fence or not line.strip() or line.lstrip().startswith(("#", "|", "<!--")):
            continue
        if bullet and bullet["todo"]:
            continue
        start = start if held else number
        held.append((line[bullet.end() :] if bullet else line).strip())


def _of_turn(text: str, speaker: str) -> Iterator[RuleLine]:
    """The rules that a person states. An answer rules nothing: what it confirms, the person has said."""
    if speaker == _AGENT or len(text) > _LONG_TURN or "```" in text:
        return
    said = compiled(_TURN, 0).sub("", text, count=1)
    for line in said.split("\n"):
        sentences = _sentences(line)
        sure = [_sureness(one) for one in sentences]
        for number, is_sure in enumerate(sure):
            if is_sure is not None:
                yield _rule(_with_next(sentences, sure, number))._replace(is_sure=is_sure)


def _with_next(sentences: list[str], sure: list[bool | None], number: int) -> str:
    """A sentence with the short ones beside it that say what is wanted: "sqlc.", "Use a page of its own"."""
    found = _without_lead(sentences[number])
    before = sentences[number - 1] if number and sure[number - 1] is None else ""
    if (
        before
        and len(before.split()) <= _FEW
        and not compiled(_LEAD, 0).match(f"{before} ")
        and not before.endswith(("?", "!"))
    ):
        found = f"{before} {found}"
    after = sentences[number + 1] if number + 1 < len(sentences) and sure[number + 1] is None else ""
    if after and not after.endswith("?") and tokens(f"{found} {after}") <= MOST_TOKENS // 2:
        found = f"{found} {after}"
    return found


def _sureness(sentence: str) -> bool | None:
    """Return whether a sentence that a person said is surely a rule; None where it is none."""
    if not _may_be_rule(sentence) or sentence.rstrip().endswith("?") or is_left_to_do(sentence):
        return None
    if lays_down(sentence):
        return True
    return False if may_decide(sentence) else None


def _may_be_rule(sentence: str) -> bool:
    size = tokens(sentence)
    is_long_enough = len(sentence) >= _LEAST_LETTERS and len(sentence.split(None, 1)) > 1
    return size <= MOST_TOKENS and (is_long_enough or size >= len(sentence) >= _LEAST_SIGNS)


def _sentences(line: str) -> list[str]:
    return join_abbreviated(compiled(_SENTENCE_END, 0).split(line.strip()))


def _without_lead(text: str) -> str:
    rest = compiled(_LEAD, 0).sub("", text)
    return rest if len(rest.split()) >= 2 else text


def _rule(text: str) -> RuleLine:
    of_all = compiled(_OF_ALL, 0).match(text)
    label = compiled(_LABEL, 0).match(text)
    name = label["label"].strip(" _") if label else ""
    if len(name.split()) > _LABEL_WORDS or name.endswith(("http", "https")):
        name = ""
    if of_all:
        name = of_all["what"]
    return RuleLine(text, name, is_for_all=_FOR_ALL.are_in(text))
