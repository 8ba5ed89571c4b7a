"""What a text does: it tells something, or it only asks. English and German."""

import re

from memoro.model.phrases import Phrases, compiled
from memoro.model.words import STOP_WORDS

_SENTENCE = re.compile(r"[^.!?;\n]+(?:[.;](?=\w)[^.!?;\n]*)*[.!?;]*")
_ENDS = (". ", "! ", "; ", "\n")  # of a sentence before a question
_WORD = re.compile(r"[^\W_]+")
_NOUNS = r"(?: (?!(?:i|we|you|he|she|it|they|the|this|that|my|our|ich|wir|du|er|sie|es|der|die|das)\b)[\w'-]+){0,3}?"
# How a question begins that is written without its mark: "which port do we use". "When I was in Oslo" is none.
_ASKS = Phrases(
    (
        "what|which|who|where|when|why|how",
        r"(?:(?:after|at|by|for|from|in|on|since|to|until|with|under) )?"
        rf"(?:what|which|who|whom|whose|where|when|why|how){_NOUNS}(?:'s| (?:is|are|am|was|were|do|does|did|can|could"
        r"|shall|should|will|would|have|has|had|many|much|long|often|old|far|to))\b"
        r"|(?:who|which \w+) \w+s\b",
    ),
    (
        "do|does|did|is|are|was|were|can|could|would|will",
        r"(?:do|does|did|is|are|was|were|can|could|would|will) "
        r"(?:you|i|we|he|she|it|they|there|this|that|my|our|the)\b",
    ),
    (
        "was|welche|wer|wem|wen|wo|wann|warum|wieso|wie",
        rf"(?:was|welche[mnrs]?|wer|wem|wen|wo|wohin|woher|wann|warum|wieso|wie){_NOUNS} "
        r"(?:ist|sind|bin|war|waren|hat|habe|haben|hatte|kann|können|soll|muss|heißt|viele?|lange|oft|geht|läuft)\b",
    ),
    (
        "kannst|könntest|weißt|hast|gibt|ist|sind",
        r"(?:kannst|könntest|weißt|hast|gibt|ist|sind) (?:du|ihr|es|das|die|der|mein|unser)\b",
    ),
)
# A request for an answer, which tells nothing either.
_REQUEST = Phrases(
    (" me", r"(?:(?:please|and|so|also|bitte) )*(?:remind|tell|show) me\b"),
    (
        "wonder|curious|asking|like to|want|forg|don't|remember",
        r"(?:i|we)(?:'m| am|'ve| have|'d| would| was| were)?(?: also| just| been)* "
        r"(?:wonder|curious|asking|like to (?:know|ask)|want(?:ed)? to (?:know|ask)|forgot|forget"
        r"|don't (?:know|remember)|can'?t remember)",
    ),
    (
        "mich|mir|ich",
        r"(?:erinnere|sage?|zeige?) (?:mich|mir)\b|ich (?:frage mich|weiß nicht|habe vergessen|wollte fragen)\b",
    ),
)
# The words that the patterns of a question without its mark begin with.
_OPENINGS = frozenset(
    _WORD.findall(
        """what which who whom whose where when why how after at by for from in on since to until with under do
        does did is are was were can could would will please and so also bitte remind tell show i we
        welche welchem welchen welcher welches wer wem wen wo wohin woher wann warum wieso wie kannst
        könntest weißt hast gibt ist sind erinnere sag sage zeig zeige ich"""
    )
) | {"i'm", "i've", "i'd", "we're", "we've", "we'd", "what's", "where's", "who's", "how's", "when's"}
# What stands before or after a question and says nothing.
_POLITE = (
    r"(?:hey|hi|hello|hallo|thanks|thank you|thx|danke|ok|okay|great|nice|cool|wow|sure|well|so|by the way|btw"
    r"|(?:just |only )?(?:an? |one (?:more |last )?|another )?(?:quick |short )?(?:question|thing)|übrigens"
    r"|(?:just )?(?:curious|checking|wondering)|(?:that )?sounds"
    r"|that'?s (?:great|helpful|awesome|nice|good|cool|really|very)"
    r"|(?:kurze )?frage|i (?:have|had|got) (?:a|another|one))\b"
)
_POLITE_WORDS = """
    hey hi hello hallo thanks thank thx danke ok okay great nice cool wow sure well so by btw just only a an one
    another quick short question thing übrigens curious checking wondering that thats sounds kurze frage i
"""
_POLITE_OPENINGS = frozenset(_POLITE_WORDS.split())
_FIRST_PERSON = re.compile(r"(?i)(?:i|i'm|i've|i'd|i'll|we|we're|we've|my|our|ich|wir|mein\w*|unser\w*)\b")
_CLAUSE = re.compile(r",| and | but | so | – | - | und | aber ")
_MARKS = " \t\r\"'”’)]*_#>-"
_DENIALS = frozenset(["no", "not", "never", "none", "nor", "cannot", "nicht", "nie", "kein", "keine", "keinen"])
_COURTESY = 60  # characters: thanks that go on for longer say something
_DETAILED = 12  # words of content: a question with more of them tells the details of its case


def only_asks(text: str) -> bool:
    """Return whether a text asks something and tells nothing: "Where do I live?", not "I moved to Oslo. And you?"."""
    if "?" not in text and _first_word(text) not in _OPENINGS and not _is_polite(text):
        return False  # most texts, without a closer look
    asks = False
    for part in _SENTENCE.finditer(text):
        sentence = part[0].strip(_MARKS)
        if _is_question(sentence):
            if _tells_too(sentence):
                return False
            asks = True
        elif _tells(sentence):
            return False
    return asks


# A whole answer, or its first sentence, that tells nothing: "I do not know that, sorry."
_KNOWS_NOTHING = (
    r"\W*(?:(?:sorry|unfortunately|leider|desolee?|lo siento)\W+)?(?:"
    r"i (?:do not|don['’]t|cannot|can['’]t) (?:really )?(?:know|remember|say|tell)(?: (?:that|this|it|yet|either))*"
    r"|i have no (?:idea|information|record)[^.!;]*|no idea"
    r"|(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht|keine ahnung"
    r"|je ne (?:le )?sais pas|no (?:lo )?sé|não sei|non (?:lo )?so)(?:\W+sorry)?\W*"
)


def knows_nothing(text: str) -> bool:
    """Return whether a short answer says only that its writer does not know."""
    return len(text) < _COURTESY and compiled(_KNOWS_NOTHING).fullmatch(text.lower()) is not None


def tells_beyond(text: str, message: str) -> bool:
    """Return whether a text tells something that a message does not tell itself; what it asks does not count.

    "The port is 7620" adds to the question "is the port 7620?", which tells nothing.
    """
    if only_asks(message):
        return True
    known = _telling_words(told_and_asked(message)[0])
    return not known or not _telling_words(told_and_asked(text)[0]) <= known


def told_and_asked(text: str) -> tuple[str, str]:
    """Return the text without its questions, and the questions alone."""
    *questions, rest = text.split("?")
    told: list[str] = []
    asked: list[str] = []
    for part in questions:
        start = max(part.rfind(end) + len(end) if end in part else 0 for end in _ENDS)
        told.append(part[:start])
        asked.append(part[start:])
    return " ".join([*told, rest]), " ".join(asked)


def _is_question(sentence: str) -> bool:
    if sentence.endswith("?"):
        return True
    if _first_word(sentence) not in _OPENINGS:  # most sentences; the patterns take longer
        return False
    if _REQUEST.begin(sentence):
        return True
    return not sentence.endswith((".", "!")) and ":" not in sentence and _ASKS.begin(sentence)


def _is_polite(text: str) -> bool:
    word = _WORD.match(text)
    return word is not None and word[0].lower() in _POLITE_OPENINGS and compiled(_POLITE).match(text) is not None


def _first_word(text: str) -> str:
    return text[:20].lstrip(_MARKS).partition(" ")[0].lower()


def _tells_too(question: str) -> bool:
    """Return whether a question carries a statement: "I use Flask 2.3, is that fine?"."""
    if _FIRST_PERSON.match(question) and _CLAUSE.search(question) and not _REQUEST.begin(question):
        return True
    return len(_content(question)) > _DETAILED


def _tells(sentence: str) -> bool:
    """Return whether a sentence that is no question says something: two words of content, and no mere courtesy."""
    if _is_polite(sentence) and len(sentence) < _COURTESY:
        return False
    words = 0
    for word in sentence.lower().split():
        words += len(word) > 1 and word.strip(_MARKS + ".,:!") not in STOP_WORDS
        if words > 1:
            return True
    return False


def _telling_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS or word in _DENIALS}


def _content(sentence: str) -> set[str]:
    return {word for word in _WORD.findall(sentence.lower()) if len(word) > 1 and word not in STOP_WORDS}
