"""Whether a sentence that a person said to an agent is surely a standing rule, and not a step of one task.

`standing_rules` finds what may rule, for a search; to keep a rule for ever takes more: a word that says for how long,
and an order or the speaker as its subject.
"""

from __future__ import annotations

from memoro.model.phrases import compiled

_FOR_EVER = (
    r"(?:from now on|from today on|going forward|in (?:the )?future|as a rule|by default|every time|each time"
    r"|whenever"
    r"|without exception|always|never|don't ever|do not ever|unless i (?:say|ask|tell)|for all (?:future|our|my)"
    r"|in all"
    r" (?:future|our|my)|in every|ever again|under no circumstances)"
)
_ORDER = (
    r"(?:please |and |so |also |ok,? |oh,? |remember,? |remember to |you (?:should|must|can|may|need to|are to"
    r"|'re to) "
    r"|i (?:want|need|expect|would like|'d like|prefer) (?:you to |that you )?|i'd like (?:you to )?|don't |do not "
    r"|make sure"
    r" (?:to |you |that you )?|we |let's |when(?:ever)? (?:i|you|we) [\w' ]{2,40}, |(?:for|in|on) (?:all|every|any"
    r"|my|our)"
    r" [\w' -]{2,30},? )*"
)
_NO_RULE = (
    r"(?:mind|know|knew|said|say never|thought|been|heard|seen|saw|understood|understand|remember|had|gonna|going to"
    r"|good|great|nice|fun|happy|happens|works|fails|gets|gives|returns|shows|is|was|will|wanted|dreamed|wondered"
    r"|told"
    r"|met|tried|liked|loved|hated|felt|were|too|a|an|the|got|did|would|could)\b"
)
_ENGLISH = (
    rf"^{_ORDER}(?:always|never) (?!{_NO_RULE})[a-z']{{2,}} \w",
    rf"^(?:{_ORDER}(?:from now on|from today on|going forward|in (?:the )?future|as a rule|by default|every time"
    rf"|each time"
    rf"|whenever|under no circumstances)[,:]? )(?!i(?:'m| am|'ve| have)\b|it\b|there\b).*\w+ \w+",
    rf"^{_ORDER}(?:use|write|keep|call|put|ask|answer|reply|run|add|give|show|name|commit|push|deploy|format|book"
    rf"|send|avoid|stop"
    r"|speak|address|include|mention|check|test|delete|touch|make|format|prefer|suggest|recommend|assume"
    r"|wait)\b.*\b(?:from now"
    r" on|going forward|in future|in the future|every time|each time|by default|unless i (?:say|ask|tell)"
    r"|without exception"
    r"|always|ever again|in all (?:our|my|future)|for all (?:our|my|future)|, ever)\b",
    r"^no [\w' -]{2,40}, ever\b",
)
_GERMAN = (
    r"^(?:bitte |und |also |dann )*(?:ab (?:sofort|jetzt|heute)|in zukunft|künftig|zukünftig|grundsätzlich|generell"
    r"|von jetzt an)"
    r"[,:]? (?!ist|war|hat|wird|läuft)\w+ \w+",
    r"^(?:bitte |und |also )*(?!ich\b|es\b|das\b|der\b|die\b|er\b|sie\b|ist\b|wir\b|mein|unser|warum|hier"
    r"|da\b)(?:\w+e?|\w+en sie)"
    r" (?:\w+ ){0,4}?(?:immer|nie|niemals|grundsätzlich|künftig|in zukunft|ausnahmslos|keinesfalls|ab (?:jetzt"
    r"|sofort))\b",
    r"^(?:bitte )?(?:immer|nie|niemals) \w+ \w+",
    r"^(?:ich (?:möchte|will)|wir (?:möchten|wollen|\w+en)) (?:\w+ ){0,3}?(?:immer|nie|niemals|grundsätzlich"
    r"|ausschließlich)\b",
)
_CHINESE = (
    r"^(?:请|麻烦)?(?:你)?(?:以后|今后|从现在起|从今以后|从现在开始|以后都)(?:请)?(?!再说|再看|可能|会不会).{3,}",
    r"^(?:请|你)?(?:永远|务必|始终|总是|一律|统一)(?:要|用|不要|别|使用|先|写|保持).{2,}",
    r"^.{1,14}(?:一律|必须|统一|都要|禁止|不许)(?!吗).{2,}",
    r"^(?:请|你)?(?:永远)?(?:不要再?|别再?|不许|禁止).{1,20}(?:任何|永远|以后|每次).{0,12}$|^每次.{2,20}(?:都|要|请"
    r"|先).{2,}",
)
_ALL = "|".join(f"(?:{one})" for one in (*_ENGLISH, *_GERMAN, *_CHINESE))


def is_standing_order(lower: str) -> bool:
    """Return whether a sentence, in lower case with straight apostrophes, orders something for ever."""
    return compiled(_ALL, 0).search(lower) is not None
