"""Standing rules and preferences: "always use uv", "I prefer aisle seats", "from now on". English and German."""

import re
from typing import NamedTuple

from memoro.model.phrases import compiled

_WORDS = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_ORDER = r"(?:^|[.!?:;\n]\s*|please |bitte |you should |you must )(?:please )?"  # where an order begins
_VERBS = (
    "use|commit|include|add|write|give|show|put|keep|run|send|buy|book|suggest|recommend|mention|say|call|ask|tell|eat"
    "|drink|make|push|merge|deploy|answer|reply|translate|cite|pay|name|mock|touch|delete|store|check|test|format"
)
_DO = f"(?:{_VERBS})"
_ASK = r"(?:ask|say|mention|request|want|translate|suggest|book|write)"
_I = r"\b(?:i|we)"


class _Form(NamedTuple):
    """One way to state a rule. The pattern, for lower case, is tried where the text has one of the words."""

    words: frozenset[str]
    pattern: str
    parts: tuple[str, ...]  # every match holds one of them, if there are any: common words alone tell little


def _form(words: str, pattern: str, parts: str = "") -> _Form:
    return _Form(frozenset(words.split()), pattern, tuple(parts.split("|")) if parts else ())


_FORMS = (
    # Of what somebody does or is to do: "I have never been to Oslo" states no rule.
    _form("always never", rf"\b(?:always|never)(?: ever)? {_DO}\b|\b(?:must|should|shall) (?:always|never)\b"),
    _form("always never", rf"{_ORDER}(?:always|never) (?!been|good|great|nice|fun|happy|up|here|there|an? )\w+"),
    _form(
        "only exclusively never",
        rf"{_I} (?:only|exclusively|never) (?:use|eat|drink|buy|wear|take|work|want|do|fly)\b",
        "i only|we only|i exclusively|we exclusively|i never|we never",
    ),
    _form("not", r"\b(?:must|should|shall) not\b", "must not|should not|shall not"),
    _form("no", r"\bno [^.!?\n]{1,60}, (?:ever|please)\b", ", ever|, please"),
    _form("exception", r"without exception"),
    _form("now today", r"\bfrom (?:now|today) on\b", "from now on|from today on"),
    _form("forward", r"\bgoing forward,"),
    _form("future", r"\bin (?:the )?future,|^in future\b", "future,|in future"),
    _form("default", r"\bby default\b", "by default"),
    _form("rule", r"\bas a rule\b|\bmy rule\b", "as a rule|my rule"),
    _form("unless", r"\bunless i (?:say|ask|tell)\b"),
    _form(
        "when whenever if",
        rf"\b(?:when|whenever|if) (?:i|you) {_ASK}\b",
        "when i |when you |whenever i |whenever you |if i |if you ",
    ),
    _form("time", rf"\b(?:every|each) time (?:i|you) {_ASK}\b", "every time|each time"),
    # An order that is no request for one thing.
    _form("remember note", rf"{_ORDER}(?:remember (?:to|that)|note that)\b", "remember to|remember that|note that"),
    _form("mind sure", rf"{_ORDER}(?:keep in mind|bear in mind|make sure)\b", "in mind|make sure"),
    _form("avoid", rf"{_ORDER}avoid\b"),
    _form("ever", r"\b(?:don't|do not) ever\b", "don't ever|do not ever"),
    _form("only", rf"{_ORDER}only {_DO}\b", "|".join(f"only {verb}" for verb in _VERBS.split("|"))),
    _form("treat keep", rf"{_ORDER}(?:treat all|keep (?:all|our|my|the|every))\b"),
    _form(
        "use",
        rf"{_ORDER}use \w+ (?:\w+ )?in (?:all|every|any)\w*|\bwe use [^.!?\n]{{1,40}} for (?:all|any|every)",
        " in all| in every| in any| for all| for any| for every",
    ),
    _form("stick", rf"(?:{_ORDER}|\blet's |\bwe )stick (?:to|with)\b"),
    _form(
        "limits question forbidden mandatory",
        r"\b(?:off limits|out of the question|(?:is|are) (?:forbidden|mandatory))\b",
    ),
    _form(
        "every each all",
        r"\b(?:every|each|all) [^.!?\n]{1,40} (?:needs?|must|should|has to|have to)\b",
        " need| must| should| has to| have to",
    ),
    # What somebody does or likes.
    _form(
        "don't not", rf"{_I} (?:don't|do not) (?:eat|drink|like|want|use|do)\b", "i don't|we don't|i do not|we do not"
    ),
    _form("can't cant", rf"{_I} can'?t stand\b"),
    _form(
        "prefer favour favor hate dislike insist",
        rf"{_I}(?:'d|'ve)?(?: \w+)? (?:prefer|favou?r|hate|dislike|insist)\b",
    ),
    _form("prefers favours favors dislikes insists", r"\b(?:prefers|favou?rs|dislikes|insists)\b"),
    _form("rather", r"\b(?:i'd|we'd|i would|we would) (?:much )?rather\b"),
    _form("like want need", r"\bi (?:like|want|need) (?:my|every|all|each) \w+", "i like|i want|i need"),
    _form("like love", r"\bi (?:like|love) \w+ (?:food|music|films?|books?)\b", "i like|i love"),
    _form("preference preferred favourite favorite", r"\bmy (?:\w+ )?(?:preference|preferred|favou?rite)\b"),
    _form("important", r"\b(?:it's|it is) important to (?:me|us)\b"),
    _form(
        "allergic vegetarian vegetarians vegan vegans intolerant coeliac diabetic",
        r"\b(?:i'm|i am|we're|we are|is|are) (?:\w+ )?(?:allergic|vegetarian|vegan|intolerant|coeliac|diabetic)",
    ),
    _form("person comfortable", r"\bi(?:'m| am) (?:not an? \w+ person|more comfortable)\b"),
    # The same in German.
    _form("immer niemals keinesfalls ausnahmslos grundsätzlich künftig zukünftig", r""),
    _form(
        "sofort jetzt heute zukunft",
        r"\b(?:ab (?:sofort|jetzt|heute)|in zukunft)\b",
        "ab sofort|ab jetzt|ab heute|in zukunft",
    ),
    _form("nie", rf"{_ORDER}\w+e? (?:bitte )?nie\b"),
    _form(
        "merk merke vergiss denk denke achte beachte", r"\bmerke? dir\b|vergiss nicht|\bda(?:ran|rauf)\b|\bbeachte\b"
    ),
    _form(
        "bevorzuge hasse liebe mag",
        r"\bich (?:bevorzuge|hasse|liebe|mag (?:kein|nur|am|lieber))",
        "ich bevorzuge|ich hasse|ich liebe|ich mag",
    ),
    _form(
        "möchte will esse trinke",
        r"\bich (?:möchte|will|esse|trinke) (?:immer|nie|nur|kein)",
        "ich möchte|ich will|ich esse|ich trinke",
    ),
    _form("liebsten allergisch vegetarier vegetarierin", r""),
    _form("wichtig lieber", r"\bmir ist (?:wichtig|lieber)\b", "mir ist"),
)


def _forms_by_word() -> dict[str, list[_Form]]:
    found: dict[str, list[_Form]] = {}
    for form in _FORMS:
        for word in form.words:
            found.setdefault(word, []).append(form)
    return found


_FORMS_OF = _forms_by_word()
_ALL = frozenset(_FORMS_OF)
_FOR_QUESTIONS = tuple(
    f"{word} {who} "
    for when, whom in (("when whenever if time", "i you we"), ("wenn sobald", "ich du"))
    for word in when.split()
    for who in whom.split()
)


def states_rule(text: str) -> bool:
    """Return whether a text sets a rule for later or says what somebody prefers."""
    lower = text.lower()
    return any(compiled(form.pattern, re.MULTILINE).search(lower) for form in _possible(lower))


def may_state_rule(text: str) -> bool:
    """Return whether a part of a text may state a rule. Cheap: False is sure, whatever its lines are cut into."""
    return bool(_possible(" ".join(text.lower().split())))


def _possible(lower: str) -> set[_Form]:
    """The forms that a text in lower case may match."""
    tokens = set(lower.split())
    others = [token for token in tokens if not token.isalpha()]  # only these need the slower pattern
    words = _ALL.intersection([*tokens, *_WORDS.findall(" ".join(others))])
    return {
        form
        for word in words
        for form in _FORMS_OF[word]
        if not form.parts or any(part in lower for part in form.parts)
    }


def is_for_questions(text: str) -> bool:
    """Return whether a rule, if the text states one, is for questions as well: "whenever I ask about …"."""
    lower = text.lower()
    return any(words in lower for words in _FOR_QUESTIONS)
