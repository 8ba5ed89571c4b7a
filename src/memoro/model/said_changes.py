"""Whether a sentence of a conversation says that something is, or shall be, different from before."""

from memoro.model.phrases import Phrases
from memoro.model.sentences import read_sentence

# In a conversation, people change things by asking for it, in the present tense. As a statement in a note, the same
# words may tell how something is, so `model.sentences` does not count them.
_DIFFERENT = Phrases(
    (
        "move|switch|go|went|back|push|postpone|delay|brought|bump|shift",
        r"\b(?:moves?|switch(?:es)?|goes|go|going|went|back|bump(?:ed)?|shift(?:ed|s)?|push(?:ed)?|brought) (?:\w+ )?"
        r"(?:to|over to|back|forward|out to|for|with)\b|\b(?:postpone|delay)\w*\b",
    ),
    (
        "make|set|change|raise|lower|rename|cut",
        r"\b(?:make|set|change|raise|lower|rename|cut) (?:it|that|this|them|the)\b",
    ),
    ("take|use", r"^\W*(?:\w+ ){0,3}(?:take|use) (?!care)\w+"),
    (
        "too ",
        r"\btoo (?:\w+ )?(?:long|short|many|much|few|little|slow|fast|big|small|early|late|high|low|strict|loose)\b",
    ),
    ("half|double|twice", r"\b(?:half|double|twice) (?:of )?(?:it|that|them)\b"),
    ("wait", r"^\W*(?:hm+,? |no,? |oh,? )*wait\b"),
    ("give ", r"^\W*(?:\w+ ){0,3}give (?:it|them|him|her) \w+"),
    (
        "out|over|place|die",
        r"\b(?:rip|throw|take|kick)s? (?:it|that|them) out\b"
        r"|\btakes? (?:over|(?:its|his|her|their) place)\b|\bdies\b",
    ),
    ("call it", r"\bcall it\b"),
    ("has no time|is off|is out|is leaving|is gone", r"\b(?:has no time|is (?:off|out|leaving|gone))\b"),
    ("it is|let's say", r"\b\w+ it is\b|\blet's say\b"),
    (
        "actually|instead|rather|after all|scratch|wait|changed my mind|changed our mind|second thought"
        "|no more|drop|stop|skip",
        r"\b(?:actually|instead|rather|after all|scratch that|no,? wait|changed (?:my|our) mind|on second thoughts?"
        r"|no more|drop|stop using|skip)\b",
    ),
    (
        "verschieb|verschob|stell|umgestellt|wechsel|doch|lieber|statt|nehm|änder|ab jetzt|abgeschaltet|abgelöst"
        "|nichts mehr|weg",
        r"\b(?:verschieb\w*|verschob\w*|stell\w* .{1,30} um|umgestellt|wechsel\w*|doch (?:lieber|nicht|wieder)"
        r"|statt\w*|nehm\w* wir|wir nehmen|änder\w*|ab jetzt|abgeschaltet|abgelöst|nichts mehr|kann weg|kommt weg)\b",
    ),
    (
        "finalement|plutôt|en fait|au lieu|on passe à|on prend",
        r"\b(?:finalement|plutôt|en fait|au lieu d\w*|on passe à|on prend)\b",
    ),
    ("mejor|en vez|cambi|al final|pasamos a", r"\b(?:mejor|en vez de|cambi\w+|al final|pasamos a)\b"),
    ("改|换|不用|取消|推迟", r"改(?:成|为|到|用|回)|换(?:成|到|用)|不用|取消|推迟"),
)


def says_change(sentence: str) -> bool:
    """Return whether a sentence changes something that was said before, or asks for that."""
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return read_sentence(sentence).changes or _DIFFERENT.are_in(sentence)
