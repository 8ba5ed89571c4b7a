"""How a question is put: its frame, the side of a chat that it is about, and what it counts as an answer."""

import re

from memoro.model.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]{2,}")
_TALKS = r"(?:chat|conversation|discussion|session|talk)s?"
_YOU_MAY = r"(?:(?:can|could|would|will) you )?(?:please )?"
_ADVICE = r"(?:suggestions?|recommendations?|advice|tips?|ideas?|thoughts)"
# How a question is put to someone who was there: about the asking, and not about what is asked.
_FRAME = re.compile(
    r"(?i)\b(?:i(?:'m| am| was|'ve been) (?:just )?(?:going|looking|thinking|checking)(?: back| through)* )?"
    r"(?:(?:in|from|to|at|about|on|through|throughout|during|across|over|based on) )?(?:all (?:of )?)?"
    rf"our (?:(?:previous|earlier|last|past|recent|entire|whole) )?{_TALKS}\b(?: (?:so far|about|where|on)\b)?"
    r"|\bi(?:'m| am| was|'ve been) (?:just )?(?:wondering|trying to (?:recall|remember))\b"
    r"|\bi (?:want|wanted|would like) to (?:follow up|confirm|clarify|know|ask)\b|\bi'd like to know\b"
    rf"|\b{_YOU_MAY}(?:remind|tell) me(?: (?:of|about|again))?\b"
    r"|\bif you (?:could|can|remember(?:ed)?)\b|\b(?:do you|i) (?:remember|recall)\b"
    r"|\bwhat do (?:you|we|i) know (?:about|of)\b|\b(?:(?:list|show|find) )?(?:all|everything|anything)"
    r"(?: (?:notes|that|there is|i|we|you|know|did|said|have))* (?:about|on|concerning|concerns)\b"
    # An order, a list, a summary.
    rf"|\b{_YOU_MAY}(?:list|give me|walk me through|describe|outline) (?:(?:the|in|what|which|an?|brief|short|full"
    r"|detailed|complete|comprehensive|chronological|timeline|summary|overview|recap|order|list) )+"
    r"(?:of|in which|that)\b"
    r"|\b(?:in|by) (?:what|which|chronological) order(?: in which)?\b|\bin order(?=\W*(?:$|\?|\.))"
    r"|\b(?:i|we)(?:'ve| have| had)? (?:brought up|bring up|talked about|mentioned|discussed|raised)\b"
    rf"(?=[^?]*\bour {_TALKS}\b)"
    r"|\b(?:different|various) (?:aspects|topics|things|parts|points|subjects) (?:of|about|related to|around)\b"
    r"|\bmention (?:only|exactly)[\w ]* items?\b"
    # Advice.
    rf"|\b{_YOU_MAY}(?:recommend|suggest)(?: me)?(?: (?:some|any|a few))?\b"
    rf"|\b(?:do you have |are there )?any (?:other )?{_ADVICE}(?: (?:on|for|about|regarding))?\b"
    # The same in German.
    r"|\berinnere? mich (?:bitte )?(?:daran|an)\b|\bich (?:wollte|möchte) (?:wissen|fragen)\b"
    r"|\b(?:in|aus|über) unsere[mnr]? (?:(?:letzten?|früheren?|bisherigen) )?(?:chats?|gespräch\w*|unterhaltung\w*)\b"
)
_YOU_SAID = re.compile(
    r"(?i)\byou(?:'d|'ve| had| have)?(?: just| also| once)? (?!remember|need)(?:\w+ed|told|said|gave|wrote|made)\b"
    r"|\bdid you\b|\byou were (?:say|tell|suggest|recommend|explain)ing\b"
    r"|(?<!can )(?<!could )(?<!would )(?<!will )(?<!do )\byou (?:say|suggest|recommend|advise|propose)\b"
    r"|\byour (?:\w+ )?(?:suggestions?|recommendations?|advice|answers?|reply|explanations?|proposals?)\b"
    r"|\b(?:hast|hattest) du\b|\bdu (?:mir |uns )?(?:gesagt|empfohlen|vorgeschlagen|genannt|geschrieben)\b"
    r"|\bdein\w* (?:vorschl\w+|empfehlung\w*|antwort\w*|rat)\b"
)
_I_SAID = re.compile(
    r"(?i)\bi(?:'ve| have|'d| had)?(?: just| also| ever| already| previously| first| originally)* (?:mentioned|said"
    r"|told you|brought up|bring up|raised|described|shared|stated|asked|talked about|explained to you)\b"
    r"|\bdid i(?: ever| first)? (?:mention|say|tell|bring up|raise|describe|share|state|ask|talk about|write)\b"
    r"|\b(?:habe|hab|hatte) ich\b[^.?!]*\b(?:gesagt|erwähnt|erzählt|gefragt|geschrieben)\b"
    r"|\bich\b[^.?!]*\b(?:gesagt|erwähnt|erzählt|gefragt|geschrieben) (?:habe|hatte)\b"
)
# "What was … in our last chat" asks for what was answered there, unless it speaks of me.
_LAST_CHAT = re.compile(r"(?i)\b(?:previous|earlier|last) (?:chat|conversation|discussion)\b")
# What was decided together, or is only half remembered, either may have said.
_ABOUT_BOTH = re.compile(
    r"(?i)\bwe(?: \w+){0,2} (?:decid|agree|settl|chose|pick|discuss|conclud|call|talk)\w*"
    r"|\b(?:trying to|can't|cannot) (?:recall|remember)\b|\bwir(?: \w+){0,4} (?:entschieden|beschlossen|besprochen)\b"
)
_ABOUT_ME = re.compile(
    r"(?i)\b(?:i|i'm|i've|i'd|my|me|mine|myself|we|our|us|ich|mein\w*|mir|mich|wir|uns|unser\w*)\b"
)
# Earlier questions tell what somebody cares about: they answer who seeks advice, and who asks what was asked.
_QUESTIONS_COUNT = re.compile(
    rf"(?i)\b(?:any|some|more|good|your)\b[^.?!]{{0,40}}\b{_ADVICE}\b|\b(?:recommend|suggest|advise|help me)\b"
    r"|\b(?:do you think|ask(?:ed|ing)?|questions?|wonder(?:ed|ing)?|wanted to know|br(?:ing|ought) up|raised?)\b"
    r"|\b(?:empf[ie]+hl\w*|vorschl[aä]g\w*|tipps?|ideen?|hilf mir|fragen?|gefragt)\b"
)
# A question about several occasions: its evidence stands in several conversations.
_SEVERAL = re.compile(
    r"(?i)\b(?:how (?:many|much)|total|altogether|combined|average|different|various|every|each|everything|list"
    r"|all (?:the|of|my|our)|(?:what|which|chronological) order|the order (?:of|in)|from (?:earliest|first) to"
    r"|timeline|summar\w+|overview|recap|over time|across|throughout"
    r"|wie viele?|insgesamt|alles?|reihenfolge|zusammenfass\w+|überblick)\b"
)

_DO = (
    r"(?:write|draft|compose|rewrite|edit|polish|proofread|translate|summari[sz]e|explain|compare|prepare|create|make"
    r"|build|implement|add|fix|refactor|rename|remove|update|upgrade|migrate|deploy|roll out|release|push|merge"
    r"|commit|save|set up|configure|install|test|cover|check|review|debug|clean|sort|organi[sz]e|format|design|plan"
    r"|schedule|arrange|book|reserve|order|buy|get|pick|choose|suggest|recommend|give|help|send|post|reply|respond|invite|cook"
    r"|bake|finish|generate|put|turn|convert|calculate|estimate|optimi[sz]e|improve|bring|find me|show me how"
    r"|schreibe?|verfasse|plane|suche?|finde|erstelle|erkläre?|formatiere|buche|mache?|gib|hilf|übersetze|prüfe|teste"
    r"|verbessere|baue?|füge|lösche|ändere|bestelle|kaufe?|reserviere|organisiere|bereite|fasse|vergleiche|empfiehl)"
)
_TASK = re.compile(
    rf"(?i)^\W*(?:please |now |then |and |bitte |jetzt )*{_DO}\b|\b(?:can|could|would|will) you (?:please )?{_DO}\b"
    rf"|(?<!do )(?<!did )\b(?:i|we) (?:need|want|have) to {_DO}\b|\bhelp me\b|\b(?:should|could|can|shall) (?:i|we)\b"
    rf"|^\W*how to\b|\bhow do (?:i|we)\b|\bwhere do (?:i|we) get\b|\bdo you think\b|\bany {_ADVICE}\b"
    r"|\b(?:would be|is) (?:\w+ )?(?:any good|an? good|the best|better)\b"
    r"|\b(?:i'm|i am|we're|we are) (?:planning|thinking (?:of|about)|looking for|trying to (?!recall|remember))"
    r"|\b(?:kannst|könntest) du\b|\b(?:soll(?:te)?|kann|könnte) (?:ich|wir)\b"
)
_RECALLS = re.compile(r"(?i)\bremind me\b|\bremember\b|\brecall\b|\berinner\w*\b|\blast time\b")


def asked(query: str) -> str:
    """The query without its frame ("can you remind me …"), which would be looked for; a mere frame stays."""
    rest = _FRAME.sub(" ", query)
    return rest if any(word not in STOP_WORDS for word in _WORD.findall(rest.lower())) else query


def side(query: str) -> str | None:
    """Which side of a chat a question is about, the speaker "User" or "Assistant", if it tells."""
    if _ABOUT_BOTH.search(query):
        return None
    by_you, by_me = bool(_YOU_SAID.search(query)), bool(_I_SAID.search(query))
    if by_you or by_me:
        return None if by_you and by_me else "Assistant" if by_you else "User"
    if _ABOUT_ME.search(_FRAME.sub(" ", query)):
        return "User"
    return "Assistant" if _LAST_CHAT.search(query) else None


def questions_count(query: str) -> bool:
    """Return whether earlier questions answer this query: it seeks advice, or asks what was asked."""
    return _QUESTIONS_COUNT.search(query) is not None


def is_about_several(query: str) -> bool:
    """Return whether a question is about several occasions, such as a number of them or their order."""
    return _SEVERAL.search(query) is not None


def is_task(query: str) -> bool:
    """Return whether a query wants something done, proposed or explained, and not what is known."""
    if not _TASK.search(query) or _RECALLS.search(query):
        return False
    return not _YOU_SAID.search(query) and not _I_SAID.search(query)
