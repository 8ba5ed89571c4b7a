"""Rules as people type them to an agent: "Errors: no panics", "no ORM, ever", "agreed, soft deletes".

These forms are looser than those of `standing_rules`: they are for short sentences that a person said to an agent.
"""

from memoro.model.phrases import Phrases, compiled
from memoro.model.standing_rules import states_rule
from memoro.model.task_topics import topics_of

_MOST_WORDS, _FEW_WORDS = 40, 25
_WORD = r"[^\W_]+(?:['’][^\W_]+)?"
_LABELLED = r"^\W{0,4}(?P<label>[^\W\d_][\w+#./& -]{0,30})(?:: +|：)(?P<body>\S.*)$"
# Labels of a message, of a log and of talk, under which no rule stands.
_NO_LABEL_WORDS = """
    error warning warn info debug fatal detail details hint context note notes question frage update ps fyi todo
    result results output input example expected actual subject title from to cc date name url link file line
    step reason also and so status answer idea problem issue bug message process caused traceback exception http
    https re fwd fehler hinweis betreff ergebnis beispiel usage user assistant system host port id what why when
    where who how
"""
_NO_LABELS = frozenset(_NO_LABEL_WORDS.split())
_OF_ONE_THING = r"(?:error|exception|fehler|warning)s?$|^(?:new|neue[rsnm]?|it|he|she|they|es|we|i|wir|ich)\b"
_PASTED = r"[\[\]{}<>|]|[\w.]+\([^)]*\)$|\b0x|/\w+/\w+/|\d{4}-\d\d-\d\d"
# Words of a sentence that tells or asks about one thing: a rule in few words has none of them.
_TELLING_WORDS = """
    is are was were am has have had does did will would could might 's isn't aren't wasn't it's that's there's
    i'm we're you're they're he's she's i've we've they've i'll we'll ist sind war waren hat haben hatte wird
    würde bin habe i he she they it this that there ich er es das dies
"""
_TELLS = frozenset(_TELLING_WORDS.split())
_PASSING = Phrases(
    (
        "today|tomorrow|yesterday|tonight|now|moment|this |again|yet|already|last |next ",
        r"\b(?:today|tomorrow|yesterday|tonight|(?:right|for) now|at the moment|again|yet|already"
        r"|this (?:time|week|morning|afternoon|one)|(?:last|next) (?:week|month|time|year))\b",
    ),
    (
        "heute|morgen|gestern|gerade|diesmal|wieder|noch nicht",
        r"\b(?:heute|morgen|gestern|gerade|diesmal|wieder|noch nicht)\b",
    ),
)
# Labels of what is left to do.
_LEFT_TO_DO = (
    r"^\W*(?:(?:still|also|what's|noch|auch|es)\s+)*(?:open|left|to ?do|todos?|remaining|outstanding|pending|missing"
    r"|next(?: up| time| steps?| session| week)?|tomorrow|later|offen\w*|ausstehend|zu tun|zu erledigen|fehl(?:t|en)"
    r"|(?:(?:bei)?[mdas]* )?nächste[ns]? (?:mal|schritte?|woche)|als nächstes|morgen|später|(?:il )?reste|à faire"
    r"|pendientes?|por hacer|em aberto|por fazer|da fare|待办|下一步)"
    r"(?:\s+(?:is|are|ist|sind|noch|still|bleibt|points?|items?|questions?|tasks?|punkte|fragen|(?:for|until|für|bis)"
    r" \w+))*\s*[:：]"
)
_PAST_TENSE = r"\b(?:(?<!noch )was|were|did|had|went|got|made|said|told|saw|came|took|\w{3,}ed (?:it|the|a|my|our))\b"
_NOTHING = (
    r"(?:idea|problem|worries|thanks|thank|need|way|doubt|luck|changes?|errors?|one|longer|clue|rush|hurry|offen[cs]e|wait"
    r"|matter|more|good|sorry|i|we|it|that|this|the|not|comment|answer|reply|gloating|kidding|pressure|big)\b"
)
_NOT_SO = r"(?:before|after|until|sure|now|really|that|bad|so|too|at all|only|even|much)"
# Tried where the sentence tells of nothing: "strings never in code", "Dialogue without adverbs".
_IN_FEW_WORDS = (
    rf"(?:^(?:and |also |but |so )?|[.;:] ?|, (?:and |but |or |so )?)no (?!{_NOTHING})[\w'/-]+",
    r"(?:^|[.;:,] ?)(?:and |und )?(?:nothing|none|kein\w*|nichts|sem|sin|pas de|nada de) \w+",
    rf", (?:and |but |or |nor )?(?:not(?! {_NOT_SO})|never|nie|niemals|nicht) [\w`\"'/-]+",
    r"(?<!the )(?<!not )(?<!if )(?<!an )\b(?:always|never|only|exclusively|immer|niemals|nie|nur|ausschließlich)\b"
    r"(?! (?:one|a few|problem|thing|question|if|been|mind))",
    r"^[\w -]{3,40} without (?:a |any )?\w+",
    r"\b(?:on|for|in|with) (?:everything|every|all|each)\b",
    r"\bat (?:most|least)\b|\bhöchstens\b|\bmindestens\b",
    r", [\w'-]+ not [\w'-]+\W*$",
    r"\binstead of\b|\brather than\b|\bstatt\b|\b(?:everywhere|anywhere|überall)\b",
)
_FINE = r"(?:good|right|done|of|tests|set|green|clear|fine|the best)"
_OF_ALL = rf"^(?:and |also |please )?(?:every|each|all(?! {_FINE})|any|jede[rsn]?|alle) [\w/'-]+(?: [\w/'()-]+)+"
_NO_ORDER = r"(?:worry|forget|bother|hesitate|know|think|mind|you|it|that|this|them|do (?:that|it)|get me)\b"
_STANDING = r"(?:,? please\b|\b(?:in (?:this|our|the) (?:project|repo\w*|code\w*|app|site|package)|in here|here)\b)"
_NO_HABIT = r"(?:know|have|need|understand|think|see|remember|care)\b"
_ORDERS = (
    r"^(?:and |also |so )?(?:for|in|with|für|bei|in) (?:all|every|any|alle[snm]?|jede[mnrs]?) \w+",
    r"\b(?:one|another) rule\b|\brule (?:number|no|of thumb)\b|\bin general\b|\bgenerally\b",
    r"\bmerksatz\b|\bgrundsätzlich\w*",
    r"\b(?:i want|i'd like|ich will|ich möchte)\b.*\b(?:everywhere|always|every|all|only|instead|überall|immer"
    r"|alle[snmr]?|statt|nur)\b",
    r"(?:^|[.;,] )(?:please |and |so )?(?:do not|don't|dont|never|avoid|nie|bitte (?:kein\w*|nie|nicht)) "
    rf"(?!{_NO_ORDER})\w+",
    # "And please no pandas in this project, the NAS has 2 GB": a reason may follow.
    rf"^(?:and |also |but |so |oh |,)*(?:please no|no(?= [^.,;]{{2,40}}{_STANDING})) (?!{_NOTHING})[\w'/-]+",
    rf"\b(?:we|wir) (?:don't|do not|never|always|only|nie|immer|nur) (?!{_NO_HABIT})\w+",
    r"\bmust(?! have| be (?:the|a|an|some)\b)\b|\bmay (?:not|never|only)\b|\b(?:has|have) to\b(?! go\b)",
    r"\b(?:is|are) enough\W*$|\b(?:reicht|genügt)\W*$",
    r"\b(?:muss|müssen|darf|dürfen|soll|sollen) (?!ich|wir|das mal)\w+",
    r"\b(?:i|we) (?:hate|dislike|prefer|avoid|insist|always|never|only)\b",
)
# French, Spanish, Portuguese, Italian, Dutch, Polish, Chinese.
_OTHER_LANGUAGES = (
    r"\b(?:toujours|jamais|siempre|nunca|jamás|sempre|mai|altijd|nooit|zawsze|nigdy|uniquement|únicamente|solamente"
    r"|desormais|désormais|dorénavant|alleen|tylko)\b",
    r"\b(?:à partir de maintenant|a partir de ahora|a partir de agora|d'ora in poi|vanaf nu|od teraz)\b",
    r"\b(?:je préfère|je déteste|prefiero|odio|prefiro|detesto|preferisco|ik wil (?:geen|alleen)|wolę|nienawidzę)\b",
    r"\b(?:pas de|sin|sem|senza|zonder|geen|bez) \w+|\bne \w+ (?:jamais|pas)\b|\b(?:no|não|non) (?:uses?|usar)\b",
    r"(?:永远|一律|总是|始终|从现在起|今后|以后都|必须|不要|别用|不用|禁止|不许|只用|统一|我喜欢|我讨厌|请记住|务必|不能)",
)
# How an agent takes note of what it was told.
_CONFIRMS = (
    r"^\W*(?:noted|understood|got it|will do|(?:i'll|i will) (?:keep|remember|stick)|notiert|verstanden|ist notiert"
    r"|merke ich mir|wird gemacht|entendido|anotado|compris|c'est noté|begrepen|rozumiem|明白|记住|好的，)"
)
# How an agent proposes something.
_PROPOSES = (
    r"\b(?:i'd|i would) (?:use|keep|stay|put|go|avoid|prefer|take|split|store|leave|make|add|write|do|only)\b"
    r"|\b(?:i (?:suggest|propose|recommend)|better to|let's|would keep)\b|\bich (?:würde|schlage)\b|\bbesser\b"
)
_YES = (
    r"(?:yes|yep|yeah|ok(?:ay)?|agreed|deal|sure|right|good|perfect|great|exactly|ja|genau|einverstanden|passt|sim|sí"
    r"|oui|vale)"
)
_DO_SO = r"(?:do|let's do|go with|we do|so machen wir|mach(?:en wir)?)(?: (?:that|it|this|das|es|so))?"
_AGREES = rf"^\W*(?:(?:{_YES}|好|可以)[,.! ]*)+(?:{_DO_SO})?\W*$|^\W*{_DO_SO}\W*$"
_HABIT = (
    r"\b(?:wants|expects|requires|demands|verlangt|erwartet|besteht auf) (?!to\b)\w+",
    r"^(?:and |also )?we (?:eat|buy|take|use|write|drink|wear|cook|pay|book|spell|cite|name|store|keep|ship|log)"
    r" (?!it|that|this)",
    r"^[\w/-]{3,}s (?:fit|go|live|stay|end|begin|start|belong|get|need|use|have|take|come) ",
    r"^(?!this|that|it|he|she|there)[\w-]{3,} (?:and [\w-]{3,} )?(?:both|first|by default)\b",
)
_AGREEMENT = (
    r"^(?:(?:ok(?:ay)?|good|great|fine|right|yes|yep|yeah|sure|agreed|exactly|perfect|deal|gut|ja|genau|passt"
    r"|einverstanden|sim|sí|oui|vale)\b[,.:!;–-]*\s*)+(?P<rest>\S.*)$"
)
_DECIDED = r"^(?P<rest>.{4,80}?)(?:,? (?:yes|it is|then|agreed|ja|bitte)|,? please)[.!]*$"
# What agrees to go on, and to nothing else.
_GO_ON = (
    r"^(?:please |then |now |so |but )*(?:do|go|run|commit|push|continue|try|make|show|let|and|next|what|how|can"
    r"|could|thanks?|thank|merge|deploy|send|start|add|fix|delete|remove|write|weiter|mach|danke|bye|see|that|this|it|i"
    r"|we|you|keep going)\b"
)


_RULES = "|".join(f"(?:{form})" for form in (_OF_ALL, *_ORDERS, *_OTHER_LANGUAGES))
_SHORT_RULES = "|".join(f"(?:{form})" for form in _IN_FEW_WORDS)
_HABITS = "|".join(f"(?:{form})" for form in _HABIT)


def lays_down(sentence: str) -> bool:
    """Return whether a sentence that a person said to an agent sets a rule, or says what is wanted as a rule."""
    words = compiled(_WORD, 0).findall(sentence.lower())
    if len(words) > _MOST_WORDS or sentence.rstrip().endswith(("?", "？")):
        return False
    if states_rule(sentence):
        return True
    lower = sentence.lower().strip()
    if _PASSING.are_in(lower) or compiled(_PAST_TENSE).search(lower) or compiled(_PASTED, 0).search(sentence):
        return False
    if _is_labelled(sentence):
        return True
    if compiled(_RULES).search(lower):
        return True
    return len(words) <= _FEW_WORDS and _tells_nothing(lower) and compiled(_SHORT_RULES).search(lower) is not None


def is_passing(sentence: str) -> bool:
    """Return whether a sentence names what is left to do, or a time such as "tomorrow": it rules nothing."""
    return is_left_to_do(sentence) or _PASSING.are_in(sentence.lower())


def is_left_to_do(sentence: str) -> bool:
    """Return whether a sentence lists what is left to do: "Still open: …"."""
    return compiled(_LEFT_TO_DO, 0).match(sentence.lower()) is not None


def may_decide(sentence: str) -> bool:
    """Return whether a sentence agrees to something and names it, or tells a habit: a rule perhaps."""
    lower = sentence.lower().strip()
    if sentence.rstrip().endswith("?") or _PASSING.are_in(lower) or compiled(_PAST_TENSE).search(lower):
        return False
    if compiled(_HABITS).search(lower):
        return bool(topics_of(lower))
    found = compiled(_AGREEMENT).match(lower) or compiled(_DECIDED).match(lower)
    if not found or compiled(_GO_ON).match(found["rest"]):
        return False
    words = compiled(_WORD, 0).findall(found["rest"])
    return 2 <= len(words) <= 14 and _TELLS.isdisjoint(words) and bool(topics_of(found["rest"]))


def _is_labelled(sentence: str) -> bool:
    """Return whether a sentence is a rule under its subject: "Money: int64 in minor units, never floats"."""
    found = compiled(_LABELLED, 0).match(sentence.strip())
    if not found:
        return False
    label = found["label"].strip()
    words = label.lower().split()
    if len(words) > 4 or not _NO_LABELS.isdisjoint(words[:1]) or (label.isupper() and len(label) > 4):
        return False
    if (compiled(_OF_ONE_THING, 0).search(label.lower()) and label.lower() != "errors") or compiled(
        _PASTED, 0
    ).search(found["body"]):
        return False
    body = found["body"].lower()
    return len(compiled(_WORD, 0).findall(body)) >= 2 and _tells_nothing(body)


def _tells_nothing(lower: str) -> bool:
    """Return whether the first clause tells of nothing. A reason may follow: "no LINQ in loops, it allocates"."""
    return _TELLS.isdisjoint(compiled(_WORD, 0).findall(lower.partition(",")[0]))


def confirms(answer: str) -> bool:
    """Return whether an agent's answer takes note of what it was told: "Noted.", "Understood: …"."""
    return compiled(_CONFIRMS).match(answer) is not None


def proposes(sentence: str) -> bool:
    """Return whether a sentence of an agent proposes how to do something."""
    return compiled(_PROPOSES).search(sentence) is not None and not sentence.rstrip().endswith("?")


def only_agrees(reply: str) -> bool:
    """Return whether a person agrees and says nothing else: "yes, do that"."""
    return compiled(_AGREES).match(reply.strip()) is not None
