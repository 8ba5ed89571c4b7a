"""Decide whether a line is worth loading with every prompt. English, German and Chinese; pure.

Chat, questions, passing states, fragments and empty words are not: they cost tokens for ever and tell nothing.
In doubt a line is not worth it; a person can write it into the file all the same.
"""

from __future__ import annotations

import re
from typing import Literal

from memoro.model.calendar_words import MONTH_NUMBERS, WEEKDAY_NUMBERS
from memoro.model.message_kinds import is_order, is_question, needs_no_memory
from memoro.model.phrases import Phrases, compiled
from memoro.model.rule_forms import is_left_to_do, lays_down
from memoro.model.secrets import redact
from memoro.model.sentences import read_sentence, topic_words
from memoro.model.standing_rules import states_rule
from memoro.model.words import UNSPACED

# Why a line is not worth loading.
Unworthy = Literal["empty", "too long", "secret", "output", "question", "chat", "passing", "fragment", "vacuous"]

LONGEST = 400  # characters: a longer text is a note
_LEAST_WORDS = 2  # that carry a topic
_LEAST_SIGNS = 5  # of a script in which each is a word
_SIGN = re.compile(f"[{UNSPACED}]")
# A line of these and numbers alone, such as "Every 15 minutes.", says when, and not what.
_TIME_WORDS = topic_words(
    "second seconds minute minutes hour hours day days week weeks month months quarter year years once twice one two "
    "three four five six seven eight nine ten eleven twelve morning noon evening night every each always never after "
    "before until from Sekunde Sekunden Minuten Stunde Stunden Tag Tage Tagen Woche Wochen Monat Monate Jahr Jahre "
    "alle jede jeden jedes immer nie Uhr zwei drei vier fünf sechs sieben acht neun zehn elf zwölf morgens abends"
) | topic_words(" ".join((*MONTH_NUMBERS, *WEEKDAY_NUMBERS)))
_OUTPUT = (
    r"^\s*(?:traceback \(|at \S+\(.*:\d+\)|npm err|error\[|warning:|\$ |>>> |#!|[drwx-]{10} )"
    r"|^\s*[\[{].*[\]}]\s*$"
    r"|^\s*\d{4}-\d\d-\d\d[t ]\d\d:\d\d"
    r"|^\s*(?:https?://\S+|(?:[\w.~-]+/)+[\w.-]*|[\w-]+\.\w{1,5})\s*$"
    r"|```|<<<|>>>|\[id:\d+\]|\[redacted:"
)
_PASSING = Phrases(
    (
        "current|now|moment|today|tomorrow|tonight|yesterday|morning|afternoon|evening|week|later|soon|just|ago",
        r"\b(?:currently|right now|by now|at the moment|for now|today|tomorrow|tonight|yesterday|later|soon"
        r"|(?:this|last|next) (?:morning|afternoon|evening|week|weekend|month|monday|tuesday|wednesday|thursday"
        r"|friday"
        r"|saturday|sunday)|a (?:moment|minute|while) ago|(?:minutes|hours|days) ago"
        r"|just (?:now|started|finished|fixed))\b",
    ),
    (
        "pass|fail|running|progress|open|red|green|done|pending|blocked|broken|down|ready|merged|started|finished",
        r"\b(?:tests?|build|ci|pipeline|migration|deploy(?:ment)?|job|pr|it|everything"
        r"|step)\b[^.!?]{0,30}?\b(?:pass(?:es|ed)?"
        r"|fail(?:s|ed|ing)?|running|in progress|open|red|green|done|pending|blocked|broken|down|ready|merged|started"
        r"|finished)\b",
    ),
    (
        "i'm|i am|we're|we are|i'll|i will|we'll|bin |waiting|working on|going to|need to|have to|brb|wip|todo",
        r"\b(?:(?:i'm|i am|we're|we are) (?:\w+ )?(?:\w+ing|on|at|off|back|done|stuck)\b|(?:i'll|i will|we'll"
        r"|we will)\b"
        r"|bin (?:gleich|gerade|kurz)|waiting (?:for|on)|working on|going to|^\W*(?:need|have) to|brb|wip|todo)",
    ),
    (
        "deployed|fixed|restarted|merged|pushed|committed|renamed|updated|installed|started|finished|compacted|released",
        r"^\W*(?:i |we )?(?:just )?(?:deployed|fixed|restarted|merged|pushed|committed|updated|installed|started"
        r"|finished|compacted|released|tested|checked|added|removed)\b",
    ),
    (
        "step ",
        r"\bstep \d+ (?:of|/) \d+",
    ),
    (
        "heute|morgen|gestern|gerade|gleich|später|momentan|aktuell|derzeit|bald|läuft|wartet|vorhin|noch nicht",
        r"\b(?:heute|(?<!jeden )morgen(?! ?s\b)|gestern|gerade|gleich|später|momentan|derzeit|bald|vorhin|noch nicht"
        r"|läuft (?:noch|gerade|wieder)|wartet auf|diese woche|nächste woche|letzte woche)\b",
    ),
    (
        "今天|明天|昨天|正在|刚|目前|现在|待会|稍后|马上|这周|下周",
        r"今天|明天|昨天|正在|刚刚|刚才|目前|现在|待会|稍后|马上|这周|下周",
    ),
)
_VACUOUS = Phrases(
    (
        "user|assistant|agent|model",
        r"^\W*(?:the )?(?:user|assistant|agent|model|ai|human) (?:asked|ask|asks|said|says|helped|helps"
        r"|explained|explains"
        r"|discussed|answered|replied|provided|suggested|mentioned|is interested in|was|thanked"
        r"|(?:wants?|needs?|would like) (?:help|to know|some|something|information|assistance))\b",
    ),
    (
        "discuss|conversation|talk|session|chat|summary|various|some|several|misc|important|information|things|stuff|notes",
        r"^\W*(?:we )?(?:discuss(?:ed|ing|ion)|talked|chatted)\b"
        r"|^\W*(?:the |a |this )?(?:conversation|chat|session|talk|discussion|summary)\b"
        r"|^\W*(?:various|some|several|misc|miscellaneous|a few|other|many) (?:\w+ )?(?:things|notes|stuff"
        r"|topics|points|items"
        r"|ideas|details|information)\b"
        r"|\bno (?:new|relevant|further|other) (?:information|facts|changes|updates)\b|^\W*important\W*$",
    ),
    (
        "gespräch|sitzung|nutzer|verschiedene",
        r"^\W*(?:das gespräch|die sitzung|der nutzer (?:fragte|wollte)|verschiedene)\b",
    ),
    ("用户问|用户说|对话|讨论", r"^\W*(?:用户(?:问|说|想)|对话|讨论)"),
)
# Words at the beginning that point to something said before: without it, nobody knows what is meant.
_POINTS_BACK = (
    r"^\W*(?:and|but|or|so|then|also|because|which|if that|as (?:discussed|above|said)|see (?:above|below)|same"
    r"|it|its|it's"
    r"|that|that's|they|them|their|he|him|she|those|these|such|there|here|und|aber|oder|dann|auch|weil|dies|sie|er|es"
    r"|dort|siehe|und dann)\b(?!-)"
)
_THIS = (
    r"^\W*(?:this|dies|diese[rsnm]?)\b"
    r"(?! (?:project|repo|repository|vault|machine|team|company|user|projekt|gerät)\b)"
)
_STARTS_RULE = r"^\W*(?:if|when|whenever|before|after|unless|for|in|on|wenn|bevor|nach|für|bei) \w+[^.]*,"
_ENDS_OPEN = r"(?:[,:;–-]|\.\.\.|…|\b(?:and|or|but|the|a|of|to|und|oder|der|die|das))\s*$"
_REPLIES = (
    r"^\W*(?:sure|ok(?:ay)?|great|perfect|yes|yep|no|thanks|thank you|alright|fine|gut|ja|nein|danke|alles klar"
    r"|passt)[,.!:;]"
    r"|\blet me\b|^\W*(?:let's|let us|lass uns)\b"
)
_TELLS = r"^\W*(?:i|we|my|our|the|ich|wir|mein\w*|unser\w*|der|die|das)\b"  # no order begins so
_UNSURE = (
    r"\b(?:i (?:think|guess|wonder|suppose|believe)|not sure|maybe|perhaps|probably|vielleicht|ich glaube"
    r"|wahrscheinlich)\b|可能|也许"
)


def is_worth_loading(text: str, *, as_rule: bool = False) -> bool:
    """Return whether a line tells something that helps in later sessions, and can be understood alone.

    `as_rule`: somebody means it as a rule, so that an order ("use British spelling") is one.
    """
    return why_not_loading(text, as_rule=as_rule) is None


def why_not_loading(text: str, *, as_rule: bool = False) -> Unworthy | None:
    """Return why a line is not worth a place in an always-loaded file; None where nothing speaks against it."""
    said = " ".join(text.split()).strip("-*• ")
    if not re.search(r"\w", said):
        return "empty"
    if len(said) > LONGEST:
        return "too long"
    if redact(said).kinds:
        return "secret"
    if compiled(_OUTPUT).search(said):
        return "output"
    if is_question(said) and not _begins_condition(said):
        return "question"
    if needs_no_memory(said) is not None and not states_rule(said):
        return "chat"
    return _why_not_by_words(said, as_rule=as_rule)


def _why_not_by_words(said: str, *, as_rule: bool) -> Unworthy | None:
    is_rule = (as_rule and is_order(said)) or states_rule(said) or (lays_down(said) and not is_left_to_do(said))
    if compiled(_UNSURE).search(said) or compiled(_REPLIES).search(said):
        return "chat"
    if is_left_to_do(said) or (_PASSING.are_in(said) and not is_rule):
        return "passing"
    if _VACUOUS.are_in(said):
        return "vacuous"
    if _is_fragment(said):
        return "fragment"
    reading = read_sentence(said)
    if not is_rule and reading.happened:
        return "passing"
    if not is_rule and (not reading.states or _orders(said)):
        return "chat"
    return None


def _orders(said: str) -> bool:
    return is_order(said) and not compiled(_TELLS).match(said)


def _is_fragment(said: str) -> bool:
    if compiled(_ENDS_OPEN).search(said):
        return True
    if (compiled(_POINTS_BACK).match(said) or compiled(_THIS).match(said)) and not _begins_condition(said):
        return True
    signs = len(_SIGN.findall(said))
    if signs:
        return signs < _LEAST_SIGNS
    words = topic_words(said)
    return len(words) < _LEAST_WORDS or all(word in _TIME_WORDS or word[:1].isdigit() for word in words)


def _begins_condition(said: str) -> bool:
    """Return whether a line says first when it holds: "When a test fails, …". It asks nothing."""
    return compiled(_STARTS_RULE).match(said) is not None and not said.endswith(("?", "？"))
