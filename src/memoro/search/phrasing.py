"""How a question is put: its frame, the side of a chat that it is about, and what it counts as an answer."""

import re

from memoro.model.phrases import Phrases
from memoro.model.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]{2,}")
_WORDS = re.compile(r"\w+")
_TALKS = r"(?:chat|conversation|discussion|session|talk)s?"
_YOU_MAY = r"(?:(?:can|could|would|will) you )?(?:please )?"
_ADVICE = r"(?:suggestions?|recommendations?|advice|tips?|ideas?|thoughts)"
_OF_TALKS = "chat|conversation|discussion|session|talk"
# How a question is put to someone who was there: about the asking, and not about what is asked.
_FRAME = Phrases(
    (
        _OF_TALKS,
        r"\b(?:i(?:'m| am| was|'ve been) (?:just )?(?:going|looking|thinking|checking)(?: back| through)* )?"
        r"(?:(?:in|from|to|at|about|on|through|throughout|during|across|over|based on) )?(?:all (?:of )?)?"
        rf"our (?:(?:previous|earlier|last|past|recent|entire|whole) )?{_TALKS}\b(?: (?:so far|about|where|on)\b)?",
    ),
    (
        "wondering|trying to",
        r"\bi(?:'m| am| was|'ve been) (?:just )?(?:wondering|trying to (?:recall|remember))\b",
    ),
    (
        "to follow up|to confirm|to clarify|to know|to ask",
        r"\bi (?:want|wanted|would like) to (?:follow up|confirm|clarify|know|ask)\b|\bi'd like to know\b",
    ),
    ("remind me|tell me", rf"\b{_YOU_MAY}(?:remind|tell) me(?: (?:of|about|again))?\b"),
    (
        "if you|remember|recall",
        r"\bif you (?:could|can|remember(?:ed)?)\b|\b(?:do you|i) (?:remember|recall)\b",
    ),
    ("know about|know of", r"\bwhat do (?:you|we|i) know (?:about|of)\b"),
    (
        "all |everything |anything ",
        r"\b(?:(?:list|show|find) )?(?:all|everything|anything)"
        r"(?: (?:notes|that|there is|i|we|you|know|did|said|have))* (?:about|on|concerning|concerns)\b",
    ),
    # An order, a list, a summary.
    (
        "list |give me|walk me|describe|outline",
        rf"\b{_YOU_MAY}(?:list|give me|walk me through|describe|outline) (?:(?:the|in|what|which|an?|brief|short|full"
        r"|detailed|complete|comprehensive|chronological|timeline|summary|overview|recap|order|list) )+"
        r"(?:of|in which|that)\b",
    ),
    (
        "order",
        r"\b(?:in|by) (?:what|which|chronological) order(?: in which)?\b|\bin order(?=\W*(?:$|\?|\.))",
    ),
    (
        _OF_TALKS,
        r"\b(?:i|we)(?:'ve| have| had)? (?:brought up|bring up|talked about|mentioned|discussed|raised)\b"
        rf"(?=[^?]*\bour {_TALKS}\b)",
    ),
    (
        "different|various",
        r"\b(?:different|various) (?:aspects|topics|things|parts|points|subjects) (?:of|about|related to|around)\b",
    ),
    ("mention ", r"\bmention (?:only|exactly)[\w ]* items?\b"),
    # Advice.
    ("recommend|suggest", rf"\b{_YOU_MAY}(?:recommend|suggest)(?: me)?(?: (?:some|any|a few))?\b"),
    ("any ", rf"\b(?:do you have |are there )?any (?:other )?{_ADVICE}(?: (?:on|for|about|regarding))?\b"),
    # The same in German.
    ("erinner", r"\berinnere? mich (?:bitte )?(?:daran|an)\b"),
    ("ich wollte|ich möchte", r"\bich (?:wollte|möchte) (?:wissen|fragen)\b"),
    (
        "unsere",
        r"\b(?:in|aus|über) unsere[mnr]? (?:(?:letzten?|früheren?|bisherigen) )?"
        r"(?:chats?|gespräch\w*|unterhaltung\w*)\b",
    ),
)
_YOU_SAID = Phrases(
    (
        "you",
        r"\byou(?:'d|'ve| had| have)?(?: just| also| once)? (?!remember|need)(?:\w+ed|told|said|gave|wrote|made)\b"
        r"|\bdid you\b|\byou were (?:say|tell|suggest|recommend|explain)ing\b"
        r"|(?<!can )(?<!could )(?<!would )(?<!will )(?<!do )\byou (?:say|suggest|recommend|advise|propose)\b"
        r"|\byour (?:\w+ )?(?:suggestions?|recommendations?|advice|answers?|reply|explanations?|proposals?)\b",
    ),
    (
        "st du|du ",
        r"\b(?:hast|hattest) du\b|\bdu (?:mir |uns )?(?:gesagt|empfohlen|vorgeschlagen|genannt|geschrieben)\b",
    ),
    ("dein", r"\bdein\w* (?:vorschl\w+|empfehlung\w*|antwort\w*|rat)\b"),
)
_I_SAID = Phrases(
    (
        "mentioned|said|told you|brought up|bring up|raised|described|shared|stated|asked|talked about|explained to",
        r"\bi(?:'ve| have|'d| had)?(?: just| also| ever| already| previously| first| originally)* (?:mentioned|said"
        r"|told you|brought up|bring up|raised|described|shared|stated|asked|talked about|explained to you)\b",
    ),
    (
        "did i",
        r"\bdid i(?: ever| first)? (?:mention|say|tell|bring up|raise|describe|share|state|ask|talk about|write)\b",
    ),
    (
        "gesagt|erwähnt|erzählt|gefragt|geschrieben",
        r"\b(?:habe|hab|hatte) ich\b[^.?!]*\b(?:gesagt|erwähnt|erzählt|gefragt|geschrieben)\b"
        r"|\bich\b[^.?!]*\b(?:gesagt|erwähnt|erzählt|gefragt|geschrieben) (?:habe|hatte)\b",
    ),
)
# "What was … in our last chat" asks for what was answered there, unless it speaks of me.
_LAST_CHAT = Phrases((_OF_TALKS, r"\b(?:previous|earlier|last) (?:chat|conversation|discussion)\b"))
# What was decided together, or is only half remembered, either may have said.
_ABOUT_BOTH = Phrases(
    (
        "decid|agree|settl|chose|pick|discuss|conclud|call|talk",
        r"\bwe(?: \w+){0,2} (?:decid|agree|settl|chose|pick|discuss|conclud|call|talk)\w*",
    ),
    ("recall|remember", r"\b(?:trying to|can't|cannot) (?:recall|remember)\b"),
    ("entschieden|beschlossen|besprochen", r"\bwir(?: \w+){0,4} (?:entschieden|beschlossen|besprochen)\b"),
)
_OF_ME = frozenset(["i", "my", "me", "mine", "myself", "we", "our", "us", "ich", "mir", "mich", "wir", "uns"])
# Earlier questions tell what somebody cares about: they answer who seeks advice, and who asks what was asked.
_QUESTIONS_COUNT = Phrases(
    (
        "suggestion|recommendation|advice|tip|idea|thoughts",
        rf"\b(?:any|some|more|good|your)\b[^.?!]{{0,40}}\b{_ADVICE}\b",
    ),
    ("recommend|suggest|advise|help me", r"\b(?:recommend|suggest|advise|help me)\b"),
    (
        "think|ask|question|wonder|wanted to know|bring up|brought up|raise",
        r"\b(?:do you think|ask(?:ed|ing)?|questions?|wonder(?:ed|ing)?|wanted to know|br(?:ing|ought) up|raised?)\b",
    ),
    (
        "empf|vorschl|tipp|idee|hilf mir|frage|gefragt",
        r"\b(?:empf[ie]+hl\w*|vorschl[aä]g\w*|tipps?|ideen?|hilf mir|fragen?|gefragt)\b",
    ),
)
# A question about several occasions: its evidence stands in several conversations.
_SEVERAL = Phrases(
    (
        "how m|total|altogether|combined|average|different|various|every|each|list",
        r"\b(?:how (?:many|much)|total|altogether|combined|average|different|various|every|each|everything|list)\b",
    ),
    (
        "all |order|from ",
        r"\b(?:all (?:the|of|my|our)|(?:what|which|chronological) order|the order (?:of|in)"
        r"|from (?:earliest|first) to)\b",
    ),
    (
        "timeline|summar|overview|recap|over time|across|throughout",
        r"\b(?:timeline|summar\w+|overview|recap|over time|across|throughout)\b",
    ),
    (
        "wie viel|insgesamt|alle|reihenfolge|zusammenfass|überblick",
        r"\b(?:wie viele?|insgesamt|alles?|reihenfolge|zusammenfass\w+|überblick)\b",
    ),
)

_DEED_WORDS = """
    write draft compose rewrite edit polish proofread translate summarise summarize explain compare prepare create
    make build implement add fix refactor rename remove update upgrade migrate deploy release push merge
    commit save configure install test cover check review debug clean sort organise organize format design plan
    schedule arrange book reserve order buy get pick choose suggest recommend give help send post reply respond invite
    cook bake finish generate put turn convert calculate estimate optimise optimize improve bring
    schreib schreibe verfasse plane such suche finde erstelle erklär erkläre formatiere buche mach mache gib hilf
    übersetze prüfe teste verbessere bau baue füge lösche ändere bestelle kauf kaufe reserviere organisiere bereite
    fasse vergleiche empfiehl
"""
_DEEDS = frozenset(_DEED_WORDS.split())
_DEEDS_OF_WORDS = re.compile(r"(?i)(?:roll out|set up|find me|show me how)\b")
# What stands before a deed that is wanted.
_WANTED = re.compile(
    r"(?i)^\W*(?:please |now |then |and |bitte |jetzt )*|\b(?:can|could|would|will) you (?:please )?"
    r"|(?<!do )(?<!did )\b(?:i|we) (?:need|want|have) to "
)
_TASK = Phrases(
    ("help me", r"\bhelp me\b"),
    ("should |could |can |shall ", r"\b(?:should|could|can|shall) (?:i|we)\b"),
    ("how to|how do|where do", r"^\W*how to\b|\bhow do (?:i|we)\b|\bwhere do (?:i|we) get\b"),
    ("do you think", r"\bdo you think\b"),
    ("any ", rf"\bany {_ADVICE}\b"),
    ("good|the best|better", r"\b(?:would be|is) (?:\w+ )?(?:any good|an? good|the best|better)\b"),
    (
        "planning|thinking|looking for|trying to",
        r"\b(?:i'm|i am|we're|we are) (?:planning|thinking (?:of|about)|looking for|trying to (?!recall|remember))",
    ),
    ("st du", r"\b(?:kannst|könntest) du\b"),
    ("soll|kann|könnte", r"\b(?:soll(?:te)?|kann|könnte) (?:ich|wir)\b"),
)
_RECALLS = Phrases(
    (
        "remind me|last time|remember|recall|erinner",
        r"\bremind me\b|\bremember\b|\brecall\b|\berinner\w*\b|\blast time\b",
    )
)


def asked(query: str) -> str:
    """The query without its frame ("can you remind me …"), which would be looked for; a mere frame stays."""
    rest = _FRAME.sub(" ", query)
    return rest if any(word not in STOP_WORDS for word in _WORD.findall(rest.lower())) else query


def side(query: str) -> str | None:
    """Which side of a chat a question is about, the speaker "User" or "Assistant", if it tells."""
    if _ABOUT_BOTH.are_in(query):
        return None
    by_you, by_me = _YOU_SAID.are_in(query), _I_SAID.are_in(query)
    if by_you or by_me:
        return None if by_you and by_me else "Assistant" if by_you else "User"
    if _is_about_me(_FRAME.sub(" ", query)):
        return "User"
    return "Assistant" if _LAST_CHAT.are_in(query) else None


def questions_count(query: str) -> bool:
    """Return whether earlier questions answer this query: it seeks advice, or asks what was asked."""
    return _QUESTIONS_COUNT.are_in(query)


def is_about_several(query: str) -> bool:
    """Return whether a question is about several occasions, such as a number of them or their order."""
    return _SEVERAL.are_in(query)


def is_task(query: str) -> bool:
    """Return whether a query wants something done, proposed or explained, and not what is known."""
    if not (_wants_deed(query) or _TASK.are_in(query)) or _RECALLS.are_in(query):
        return False
    return not _YOU_SAID.are_in(query) and not _I_SAID.are_in(query)


def _is_about_me(text: str) -> bool:
    words = _WORDS.findall(text.lower())
    return any(word in _OF_ME or word.startswith(("mein", "unser")) for word in words)


def _wants_deed(query: str) -> bool:
    """Return whether a query tells somebody to do something, or says that it needs to be done."""
    for before in _WANTED.finditer(query):
        word = _WORDS.match(query, before.end())
        if word and (word[0].lower() in _DEEDS or _DEEDS_OF_WORDS.match(query, before.end())):
            return True
    return False
