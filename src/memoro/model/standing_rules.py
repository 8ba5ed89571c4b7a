"""Standing rules and preferences: "always use uv", "I prefer aisle seats", "from now on". English and German."""

import re
from typing import NamedTuple

from memoro.model.phrases import compiled

_WORDS = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_ORDER = r"(?:^|[.!?:;\n]\s*|please |bitte |you should |you must )(?:please )?"  # where an order begins
_DO = (
    r"(?:use|commit|include|add|write|give|show|put|keep|run|send|buy|book|suggest|recommend|mention|say|call|ask|tell"
    r"|eat|drink|make|push|merge|deploy|answer|reply|translate|cite|pay|name|mock|touch|delete|store|check|test|format)"
)
_ASK = r"(?:ask|say|mention|request|want|translate|suggest|book|write)"
_I = r"\b(?:i|we)"


class _Form(NamedTuple):
    """One way to state a rule. The pattern, for lower case, is tried where the text has one of the words."""

    words: frozenset[str]
    pattern: str


def _form(words: str, pattern: str) -> _Form:
    return _Form(frozenset(words.split()), pattern)


_FORMS = (
    # Of what somebody does or is to do: "I have never been to Oslo" states no rule.
    _form("always never", rf"\b(?:always|never)(?: ever)? {_DO}\b|\b(?:must|should|shall) (?:always|never)\b"),
    _form("always never", rf"{_ORDER}(?:always|never) (?!been|good|great|nice|fun|happy|up|here|there|an? )\w+"),
    _form(
        "only exclusively never",
        rf"{_I} (?:only|exclusively|never) (?:use|eat|drink|buy|wear|take|work|want|do|fly)\b",
    ),
    _form("not", r"\b(?:must|should|shall) not\b"),
    _form("no", r"\bno [^.!?\n]{1,60}, (?:ever|please)\b"),
    _form("exception", r"without exception"),
    _form("now today", r"\bfrom (?:now|today) on\b"),
    _form("forward", r"\bgoing forward,"),
    _form("future", r"\bin (?:the )?future,|^in future\b"),
    _form("default", r"\bby default\b"),
    _form("rule", r"\bas a rule\b|\bmy rule\b"),
    _form("unless", r"\bunless i (?:say|ask|tell)\b"),
    _form("when whenever if", rf"\b(?:when|whenever|if) (?:i|you) {_ASK}\b"),
    _form("time", rf"\b(?:every|each) time (?:i|you) {_ASK}\b"),
    # An order that is no request for one thing.
    _form("remember note", rf"{_ORDER}(?:remember (?:to|that)|note that)\b"),
    _form("mind sure", rf"{_ORDER}(?:keep in mind|bear in mind|make sure)\b"),
    _form("avoid", rf"{_ORDER}avoid\b"),
    _form("ever", r"\b(?:don't|do not) ever\b"),
    _form("only treat keep", rf"{_ORDER}(?:only {_DO}|treat all|keep (?:all|our|my|the|every))\b"),
    _form(
        "use", rf"{_ORDER}use \w+ (?:\w+ )?in (?:all|every|any)\w*|\bwe use [^.!?\n]{{1,40}} for (?:all|any|every)"
    ),
    _form("stick", rf"(?:{_ORDER}|\blet's |\bwe )stick (?:to|with)\b"),
    _form(
        "limits question forbidden mandatory",
        r"\b(?:off limits|out of the question|(?:is|are) (?:forbidden|mandatory))\b",
    ),
    _form("every each all", r"\b(?:every|each|all) [^.!?\n]{1,40} (?:needs?|must|should|has to|have to)\b"),
    # What somebody does or likes.
    _form("don't not", rf"{_I} (?:don't|do not) (?:eat|drink|like|want|use|do)\b"),
    _form("can't cant", rf"{_I} can'?t stand\b"),
    _form(
        "prefer favour favor hate dislike insist",
        rf"{_I}(?:'d|'ve)?(?: \w+)? (?:prefer|favou?r|hate|dislike|insist)\b",
    ),
    _form("prefers favours favors dislikes insists", r"\b(?:prefers|favou?rs|dislikes|insists)\b"),
    _form("rather", r"\b(?:i'd|we'd|i would|we would) (?:much )?rather\b"),
    _form("like want need", r"\bi (?:like|want|need) (?:my|every|all|each) \w+"),
    _form("like love", r"\bi (?:like|love) \w+ (?:food|music|films?|books?)\b"),
    _form("preference preferred favourite favorite", r"\bmy (?:\w+ )?(?:preference|preferred|favou?rite)\b"),
    _form("important", r"\b(?:it's|it is) important to (?:me|us)\b"),
    _form(
        "allergic vegetarian vegetarians vegan vegans intolerant coeliac diabetic",
        r"\b(?:i'm|i am|we're|we are|is|are) (?:\w+ )?(?:allergic|vegetarian|vegan|intolerant|coeliac|diabetic)",
    ),
    _form("person comfortable", r"\bi(?:'m| am) (?:not an? \w+ person|more comfortable)\b"),
    # The same in German.
    _form("immer niemals keinesfalls ausnahmslos grundsätzlich künftig zukünftig", r""),
    _form("sofort jetzt heute zukunft", r"\b(?:ab (?:sofort|jetzt|heute)|in zukunft)\b"),
    _form("nie", rf"{_ORDER}\w+e? (?:bitte )?nie\b"),
    _form(
        "merk merke vergiss denk denke achte beachte", r"\bmerke? dir\b|vergiss nicht|\bda(?:ran|rauf)\b|\bbeachte\b"
    ),
    _form("bevorzuge hasse liebe mag", r"\bich (?:bevorzuge|hasse|liebe|mag (?:kein|nur|am|lieber))"),
    _form("möchte will esse trinke", r"\bich (?:möchte|will|esse|trinke) (?:immer|nie|nur|kein)"),
    _form("liebsten allergisch vegetarier vegetarierin", r""),
    _form("wichtig lieber", r"\bmir ist (?:wichtig|lieber)\b"),
)
_ALL = frozenset().union(*(form.words for form in _FORMS))
_FOR_QUESTIONS = tuple(
    f"{word} {who} "
    for when, whom in (("when whenever if time", "i you we"), ("wenn sobald", "ich du"))
    for word in when.split()
    for who in whom.split()
)


def states_rule(text: str) -> bool:
    """Return whether a text sets a rule for later or says what somebody prefers."""
    lower = text.lower()
    words = _ALL.intersection(_WORDS.findall(lower))
    return bool(words) and any(
        compiled(form.pattern, re.MULTILINE).search(lower) for form in _FORMS if not words.isdisjoint(form.words)
    )


def is_for_questions(text: str) -> bool:
    """Return whether a rule, if the text states one, is for questions as well: "whenever I ask about …"."""
    lower = text.lower()
    return any(words in lower for words in _FOR_QUESTIONS)
