"""Whether a sentence that a person said to an agent is surely a standing rule, and not a step of one task.

`standing_rules` finds what may rule, for a search; to keep a rule for ever takes more: a word that says for how long,
and an order, or the speaker's wish, before or after it.
"""

from __future__ import annotations

from memoro.model.message_kinds import begins_with_order
from memoro.model.phrases import compiled

_LEAD = (
    r"(?:(?:please|and|so|also|just|but|bitte|und|also|dann|you (?:should|must|need to|are to)|make sure (?:to|you"
    r"|that you)"
    r"|i(?:'d| would)? (?:want|need|expect|like|prefer)(?: you to| that you| to)?|remember to"
    r"|(?:when(?:ever)?|if|wenn|sobald) (?:i|you|we|ich|du|wir) [\w' ]{2,40},|(?:for|in|on|für|bei) (?:all|every"
    r"|any|my|our|alle\w*"
    r"|jede\w*) [\w' -]{2,30},?),? )*"
)
_ALWAYS = r"(?:always|never|immer|nie|niemals)"
# "Always use uv". The order that follows is looked up.
_ALWAYS_FIRST = rf"^{_LEAD}(?:we (?:only )?)?{_ALWAYS} (?P<order>.+)"
_FOR_EVER = (
    r"(?:from now on|from today on|going forward|in (?:the )?future|as a rule|every time|each time"
    r"|under no"
    r" circumstances|without exception|ab (?:sofort|jetzt|heute)|in zukunft|künftig|zukünftig|grundsätzlich|generell"
    r"|von jetzt an|ausnahmslos|keinesfalls)"
)
_FOR_EVER_FIRST = (
    rf"^{_LEAD}(?:{_FOR_EVER}|in general|generally|im allgemeinen)[,:]? (?:please |bitte )?(?P<order>.+)"
)
# "Use uv from now on", "bitte sieze Kunden immer".
_FOR_EVER_LATER = (
    rf"^{_LEAD}(?P<order>.{{2,120}}?)(?:,| )\b(?:{_FOR_EVER}|{_ALWAYS}|ever again|unless i (?:say|ask|tell)"
    r"|(?:in|for) all (?:our|my|future)|ever(?=\W*$))\b"
)
_WHENEVER = r"^(?:whenever|every time|each time) (?:i|you|we) [^,]{2,60}, (?:please )?(?P<order>.+)"
_NO_EVER = r"^no [\w' -]{2,40}, ever\b|^(?:please )?(?:don't|do not) ever \w+ \w+"
# "One rule for all our work: …", "for all scripts: …", "Merksatz: …".
_FOR_ALL = (
    r"^.{0,24}\b(?:(?:one|another|my|our|house|ground|general) rule\b|(?:for|in|für|bei) (?:all|everything|every"
    r"|any|alle[snm]?|allen)"
    r" ?[\w ]{0,24}|merksatz|grundsätzlich\w*|grundregel)[^:,.]{0,24}[:：] ?\S+ \S+"
)
_UNTIL_FURTHER = r"^.{8,120}\b(?:from now on|going forward|ab sofort|ab jetzt|in zukunft|künftig)\W*$"
_GERMAN_WISH = (
    r"^(?:ich (?:möchte|will)|wir (?:möchten|wollen|nutzen|verwenden|nehmen|schreiben|machen)) (?:\w+ ){0,4}?"
    r"(?:immer|nie|niemals|grundsätzlich|ausschließlich)\b|^ab (?:jetzt|sofort|heute) \w+en wir\b|\bwir (?:ab jetzt"
    r"|ab sofort|künftig|in zukunft)\b"
)
_CHINESE = "|".join(
    (
        r"^(?:请|麻烦)?(?:你)?(?:以后|今后|从现在起|从今以后|从现在开始)(?:都|请)*(?!再说|再看|可能|会不会|我).{3,}",
        r"^(?:请|你)?(?:永远|务必|始终|总是|一律|统一)(?:都)?(?:要|用|不要|别|使用|先|写|保持).{2,}",
        r"^(?!我(?!们)).{1,14}(?:一律|统一(?:用|使用|采用)|禁止|不许).{2,}",
        r"^(?:所有|每个|任何|凡是).{1,14}(?:必须|都要|要|不能|不要|不得).{2,}",
        r"^每次.{2,20}(?:都要|请|先|要).{2,}",
    )
)
# Verbs of orders to an agent that say how to work, beside those of tasks.
_MANNER_WORDS = """
    answer ask respond speak address stop call mention assume prefer avoid say tell touch squash hardcode recommend
    commit keep trust delegate don't no use explain greet quote cite skip antworte sieze duze nutze
    verwende benutze frag frage sag sprich rechne gib halte achte committe pushe nenn nenne kein keine keinen nicht
    bitte nur
"""
_MANNER = frozenset(_MANNER_WORDS.split())
_SUBJECTS = frozenset(["i", "we", "it", "he", "she", "they", "the", "you", "there", "this", "that"])
_OF_ONE_PLACE = (
    r"\b(?:here|this (?:file|function|time|case|line|one|page|test|component|button|list|field|class|method))\b"
)
_NO_RULE = (
    r"(?:give up|give you|change|make (?:me|it)|get|let me know|call me|tell you|say (?:that|never)"
    r"|do (?:that|it|so|this))\b"
)


def is_standing_order(lower: str) -> bool:
    """Return whether a sentence, in lower case with straight apostrophes, orders something for ever."""
    if compiled(f"{_NO_EVER}|{_GERMAN_WISH}|{_CHINESE}", 0).search(lower):
        return True
    for pattern in (_ALWAYS_FIRST, _FOR_EVER_FIRST, _WHENEVER, _FOR_EVER_LATER):
        found = compiled(pattern, 0).match(lower)
        if found and _orders(lower[found.start("order") :]):
            return True
    return False


def is_for_all(lower: str) -> bool:
    """Return whether a sentence says itself that it is a rule, or for all work of a kind."""
    return compiled(f"{_FOR_ALL}|{_UNTIL_FURTHER}", 0).search(lower) is not None


def _orders(text: str) -> bool:
    """Return whether a text of several words begins with an order."""
    if compiled(_OF_ONE_PLACE, 0).search(text):
        return False
    text = compiled(r"^(?:please|bitte|always|never|immer|nie|niemals),? ", 0).sub("", text)
    words = text.split()
    if len(words) < 2 or compiled(_NO_RULE, 0).match(text):
        return False
    first = words[0].strip(",")
    return first in _MANNER or (first not in _SUBJECTS and begins_with_order(text))
