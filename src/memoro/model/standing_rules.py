"""Standing rules and preferences: "always use uv", "I prefer aisle seats", "from now on". English and German."""

import re

_WORDS = re.compile(r"[^\W\d_]+(?:'t)?")
# A text without one of these words states no rule. The patterns, which take longer, are for those that have one.
_TRIGGERS = frozenset(
    _WORDS.findall(
        """always never ever exception forward rule default unless remember mind sure note avoid stick must should
        needs need has have don't only exclusively whenever when if time prefer prefers preferred
        preference favour favor favours favors favourite favorite hate dislike dislikes insist insists
        can't stand rather like love want allergic vegetarian vegetarians vegan vegans intolerant coeliac
        diabetic important limits question forbidden mandatory person comfortable keep use treat please
        future now immer niemals nie keinesfalls ausnahmslos grundsätzlich sofort jetzt künftig zukünftig
        zukunft merk merke denk denke beachte achte vergiss bevorzuge hasse liebe mag möchte will esse
        trinke liebsten wichtig lieber allergisch vegetarier vegetarierin kein keine keinen"""
    )
)
_ORDER = r"(?:^|[.!?:;\n]\s*|\bplease |\bbitte |\byou should |\byou must )(?:please )?"  # where an order begins
_DO = (
    r"(?:use|commit|include|add|write|give|show|put|keep|run|send|buy|book|suggest|recommend|mention|say|call|ask|tell"
    r"|eat|drink|make|push|merge|deploy|answer|reply|translate|cite|pay|name|mock|touch|delete|store|check|test|format)"
)
_ASK = r"(?:ask|say|mention|request|want|translate|suggest|book|write)"
_RULE = re.compile(
    # Always and never, of what somebody does or is to do: "I have never been to Oslo" states no rule.
    rf"\b(?:always|never)(?: ever)? {_DO}\b"
    rf"|{_ORDER}(?:always|never) (?!been|good|great|nice|fun|happy|up|here|there|an? )\w+"
    r"|\b(?:must|should|shall) (?:always|never|not)\b|\bno [^.!?\n]{1,60}, (?:ever|please)\b|\bwithout exception\b"
    # For the time to come.
    r"|\b(?:from now on|from today on|going forward|in future\b|in the future,|as a rule|by default)"
    rf"|\bunless i (?:say|ask|tell)\b|\b(?:when|whenever|if|every time) (?:i|you) {_ASK}\b"
    # An order that is no request for one thing.
    rf"|{_ORDER}(?:remember (?:to|that)|keep in mind|make sure|note that|avoid|do not ever|don't ever|treat all"
    r"|stick (?:to|with)|only (?:use|buy|give|show|suggest)|keep (?:all|our|my|the|every)"
    r"|use \w+ (?:\w+ )?in (?:all|every|any)\w*)\b|\b(?:let's |we )(?:stick (?:to|with)|keep to)\b"
    r"|\b(?:is|are) (?:off limits|out of the question|forbidden|mandatory)\b"
    r"|\b(?:every|each|all) [^.!?\n]{1,40} (?:needs?|must|should|has to|have to)\b"
    r"|\bwe use [^.!?\n]{1,40} for (?:all|any|every)"
    # What somebody does or likes.
    r"|\b(?:i|we) (?:only|exclusively|never) (?:use|eat|drink|buy|wear|take|work|want|accept|do|fly|stay|read)\b"
    r"|\b(?:i|we) (?:don't|do not) (?:eat|drink|like|want|use|do)\b|\b(?:i|we) can'?t stand\b"
    r"|\b(?:i|we)(?:'d| would)?(?: really| much| generally| usually)* (?:prefer|favou?r|hate|dislike|insist)\b"
    r"|\b(?:i'd|we'd|i would|we would) (?:much )?rather\b|\b\w+ (?:prefers|favou?rs|dislikes|insists)\b"
    r"|\bi (?:like|want|need) (?:my|every|all|each) \w+|\bi (?:like|love) \w+ (?:food|music|films?|books?)\b"
    r"|\bmy (?:\w+ ){0,2}(?:preference|rule|favou?rite|preferred)\b|\b(?:it's|it is) important to (?:me|us)\b"
    r"|\b(?:i'm|i am|we're|we are|is|are) (?:\w+ )?(?:allergic|vegetarians?|vegans?|intolerant|coeliac|diabetic)\b"
    r"|\bi(?:'m| am) (?:not an? \w+ person|more comfortable)\b"
    # The same in German.
    r"|\b(?:immer|niemals|keinesfalls|ausnahmslos|grundsätzlich|ab sofort|ab jetzt|künftig|zukünftig|in zukunft)\b"
    rf"|{_ORDER}\w+e? (?:bitte )?nie\b|\bmerke? dir\b|\bdenke? (?:bitte )?daran\b|\bbeachte\b"
    r"|\bachte (?:bitte )?darauf\b|\bvergiss nicht\b|\bich (?:bevorzuge|hasse|liebe|mag (?:kein|nur|am|lieber))"
    r"|\bich (?:möchte|will|esse|trinke) (?:immer|nie|nur|kein)"
    r"|\b(?:am liebsten|mir ist (?:wichtig|lieber)|allergisch|vegetarier|bitte kein)",
    re.IGNORECASE | re.MULTILINE,
)
_FOR_QUESTIONS = re.compile(
    rf"(?i)\b(?:when|whenever|if|every time) (?:i|you|we|anyone|someone) {_ASK}|\b(?:wenn|sobald) (?:ich|du)\b"
)


def states_rule(text: str) -> bool:
    """Return whether a text sets a rule for later or says what somebody prefers."""
    return not _TRIGGERS.isdisjoint(_WORDS.findall(text.lower())) and _RULE.search(text) is not None


def is_for_questions(text: str) -> bool:
    """Return whether a rule is for questions as well: "whenever I ask about a library, name its licence"."""
    return _FOR_QUESTIONS.search(text) is not None
