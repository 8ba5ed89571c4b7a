"""What a conversation says about an error that was met: the cause, the cure, and whether it helped.

Every pattern is a list of English and German words, with a few French ones; other sentences count by their place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.content_words import content_words
from memoro.model.phrases import Phrases, compiled
from memoro.model.statements import only_asks
from memoro.model.tokens import tokens

_CODE_BLOCK = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+(?=[^a-zäöü])")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?=\S)")
_SHORT_LIST = 45  # tokens of a list that is kept whole
_SHORT_CODE = 40  # tokens of a block of code that is kept
_MARKS = " \t-*•>#0123456789.)"

_CONFIRMS = Phrases(
    (
        "work|fixed|solved|thank|perfect|great|excellent|did it|gone|brilliant|awesome|nice|lovely|passes|green",
        r"\b(?:(?<!n't )(?<!not )works?(?: now| again)?|worked|fixed|solved|thanks|thank you|perfect|great"
        r"|excellent|(?:that|this) did it"
        r"|(?:is|it's) gone|brilliant|awesome|nice|lovely|passes|green)\b",
    ),
    (
        "läuft|geht|klappt|danke|super|passt|prima|behoben|gelöst|merci|marche|obrigad|gracias",
        r"\b(?:läuft(?: jetzt| wieder)?|geht (?:jetzt|wieder)|klappt(?: jetzt)?|danke|super|passt|prima|behoben"
        r"|gelöst|merci"
        r"|ça marche|obrigad[oa]|gracias)\b",
    ),
)
_REJECTS = Phrases(
    (
        "work|help|fix|luck|nope|change|same|still|not it|that wasn|keeps|back",
        r"\b(?:(?:did|does|do|is|was)(?:n'?t| not)(?: \w+)? (?:work|help|fix|it|change)\w*|not (?:fixed|working"
        r"|helping)|no luck|nope"
        r"|no change|(?:the |exactly the )?same (?:error|problem|thing|result|message|issue)|still (?:the |not "
        r"|fail|broken|get|happen"
        r"|there|see|crash|red|doesn|says|throw|hang)\w*|that(?:'s| is|'s still| was)(?:n't| not) it"
        r"|keeps (?:fail|happen|crash)\w*"
        r"|(?:it|error)(?:'s| is) back)",
    ),
    (
        "nicht|immer noch|gleiche|derselbe|leider|nein|toujours|marche pas|sigue|no funciona",
        r"\b(?:(?:klappt|geht|hilft|läuft|funktioniert|half|stimmt)(?: \w+){0,2} nicht|nicht geholfen|immer noch"
        r"|(?:der |die |das )?gleiche[rsn]? "
        r"(?:fehler|meldung|problem)|derselbe fehler|leider n|toujours|marche pas|sigue (?:fallando|igual)"
        r"|no funciona)",
    ),
)
# What an answer says of an attempt: that it did not help, or that it did.
_STILL_FAILS = Phrases(
    (
        "still|same|help|work|effect|success|luck|persist|remain|back|keeps",
        r"\bstill (?:appear|occur|happen|fail|crash|hang|broken|red\b|locked|not work|does(?:n't| not)|the same)"
        r"|\bstill (?:get|see|show|throw|return|give|report)\w* (?:the |this |an? )?(?:same|error|failure|lock)"
        r"|\b(?:error|problem|failure|lock|warning) is still (?:there|present)|\bthe same (?:error|problem|failure)"
        r"|\b(?:did|has|have)(?:n't| not) (?:\w+ )?(?:help|work|fix)|\bdoes(?:n't| not) help\b"
        r"|\b(?:no|without) (?:effect|success|luck)\b(?! on)|\b(?:error|problem|failure) (?:persists|remains|stays)"
        r"|\b(?:it|error|problem|failure)(?:'s| is| comes| came) back\b|\bkeeps (?:fail|happen|crash|appear)ing",
    ),
    (
        "immer|weiter|nach wie vor|selbe|gleiche|geholfen|half|hilft|bringt|brachte|erfolg|bleibt|besteht",
        r"\b(?:immer noch|noch immer|weiterhin|nach wie vor)\b[^.!?]{0,30}(?:auftritt|da(?=\W*$|[.,;])|fehl\w*"
        r"|scheitert|erscheint|kommt|besteht|schlägt|bricht|hängt|stürzt|gesperrt|nicht|selbe\w*)\b"
        r"|\b(?:erscheint|scheitert|kommt|besteht|bricht|schlägt|stürzt|hängt|tritt)"
        r" (?:\w+ )?(?:immer noch|noch immer|weiterhin|nach wie vor|weiter)\b"
        r"|\b(?:die|der|den)?selbe[nr]? (?:fehler|meldung|problem)|\bgleiche[rn]? (?:fehler|meldung)"
        r"|\bnichts? geholfen|\bhalf (?:\w+ )?nichts?\b|\bhilft (?:\w+ )?nichts?\b|\b(?:bringt|brachte) nichts\b"
        r"|\bohne (?:erfolg|wirkung)\b|\b(?:fehler|problem|sperre|meldung) (?:bleibt|besteht)\b(?! aus)",
    ),
)
_WORKS = Phrases(
    (
        "work|gone|fixed|solved|longer|runs|passes|did it",
        r"\bworks?(?: again| now)?\b|\bworking (?:again|now)\b|\b(?:is|are) (?:gone|fixed|solved|resolved)\b"
        r"|\b(?:fixed|solved|resolved)\b|\bno longer (?:appear|occur|happen|fail|crash)\w*|\b(?:runs|passes)"
        r" (?:again|now|through)\b|\bthat did it\b",
    ),
    (
        "läuft|geht|funktioniert|klappt|behoben|gelöst|weg|mehr",
        r"\b(?:läuft|geht|funktioniert|klappt)\b(?! nicht)|\bbehoben\b|\bgelöst\b|\bist weg\b|\bnicht mehr auf\b",
    ),
)
_SUPPOSED = r"\b(?:if|when(?:ever)?|whether|should|would|unless|until|case|wenn|falls|ob|sollte\w*|würde|bis)\b"
# An order that goes on with the same: "then we move to Postgres", "ok, dann nimm Postgres".
_NEXT_STEP = (
    r"\W*(?:(?:ok(?:ay)?|well|right|al(?:l )?right|good|fine|hm+|no|yes|please|gut|na gut|na ja|tja|alles klar"
    r"|ja|nein|bitte)\b\W*)*(?:so )?(?:then|try|let'?s try|let us try|instead|dann|versuch\w*|probier\w*)\b"
)
_LEAVES = (
    r"\b(?:leave|forget|skip|drop|stop) (?:it|that|this|the)\b|\bnever ?mind\b|\b(?:later|tomorrow)\b"
    r"|\b(?:lass|vergiss|lassen wir) (?:es|das)\b|\b(?:später|morgen)\b"
)
# "No, the certificates are fine": said to a diagnosis, it refuses that.
_REFUSES = (
    r"\W*(?:(?:hm+|oh|sorry|well|ach)\b\W*)*"
    r"(?:(?:no|nope|nah|wrong|nein|nee|non|falsch)\b(?! (?:idea|problem|worries|rush))"
    r"|that(?:'s| is)(?:n't| not) (?:the|it|right|true)|(?:i )?(?:don'?t|do not) think so"
    r"|das (?:stimmt nicht|ist es nicht))"
)
_USER_FOUND = Phrases(
    (
        "found|turn|it was|was the|solved|fixed|the fix|cause|culprit|problem was|reason was|never mind|nevermind",
        r"\b(?:found (?:it|the)|turn(?:s|ed) out|it was (?:the|a|an|my|our|just|only|because)|i (?:solved"
        r"|fixed) it|solved it (?:by|with)"
        r"|the (?:fix|cause|culprit|problem|reason|solution) (?:was|is)|never ?mind,)",
    ),
    (
        "gefunden|es war|lag |ursache|stellte|gelöst",
        r"\b(?:gefunden:|es war (?:nur|der|die|das|ein)|lag (?:an|am|daran)|ursache (?:war|ist)"
        r"|stellte sich heraus|gelöst (?:durch|mit))\b",
    ),
)
_CAUSE = Phrases(
    (
        "because|since|cause|due|reason|happen|mean|missing|wrong|expired|ended|differ|mismatch|stale|old"
        "|conflict|left|held|"
        "does not|doesn't|isn't|is not|was not|wasn't|no longer|too |never|only",
        r"\b(?:because|since|caused?s?|due to|reason|happens? (?:when|if)|means?|missing|wrong|(?:has|have|had"
        r"|is) (?:expired|ended)|expired"
        r"|differ(?:s|ent)|mismatch|stale|conflicts?|left (?:by|over|behind)|held by|do(?:es)?(?:n't| not)|(?:is"
        r"|was|were)(?:n't| not)"
        r"|no longer|too [a-z]+|never|opposite)\b",
    ),
    (
        "weil|wegen|ursache|liegt|lag|fehlt|abgelaufen|falsch|veraltet|da ",
        r"\b(?:weil|wegen|ursache|liegt an|lag an|fehlt\w*|abgelaufen|falsch\w*|veraltet)\b",
    ),
)
_CURE = Phrases(
    (
        "fix|solution|solved|resolved|add|set|change|made|replac|remov|pin|upgrad|downgrad|install|run|use|using"
        "|now|instead"
        "|must|need|retr|increas|rais|lower|restart|clear|delet|export|move|bump|disabl|enabl|put|lock|`|works"
        "|gone|force|so that"
        "|wrap|switch|turn|revert|rebuil|regenerat|reset|renew|log",
        r"\b(?:fix(?:ed|es)?|solution|solved|resolved|add(?:ed)?|sets?|chang(?:e|ed)|made|replac\w+|remov\w+"
        r"|pin(?:ned)?|upgrad\w+"
        r"|downgrad\w+|install(?:ed)?|runs?|use[ds]?|using|now|instead|must|needs?|retr(?:y|ies)|increas\w+"
        r"|rais(?:e|ed)|lower(?:ed)?"
        r"|restart\w*|clear(?:ed)?|delet\w+|export(?:ed)?|moved?|bump(?:ed)?|disabl\w+|enabl\w+|put|works|gone"
        r"|force\S*|so that"
        r"|wrap(?:ped)?|switch(?:ed)?|turn(?:ed)? o\w+|revert(?:ed)?|rebuil[dt]|regenerat\w+|reset|renew\w*)\b"
        r"|`[^`\n]{2,120}`",
    ),
    (
        "gelöst|behoben|geändert|ergänzt|ersetzt|entfernt|gesetzt|installier|jetzt|stattdessen|hilft|nutze"
        "|verwende|muss",
        r"\b(?:gelöst|behoben|geändert|ergänzt|ersetzt|entfernt|gesetzt|installier\w+|jetzt|stattdessen|hilft"
        r"|nutze|verwende|muss)\b",
    ),
)
_FILLER = (
    r"^(?:let me|i'll|i will|sure|ok(?:ay)?\b|great|looking|good question|got it|of course|ich schaue|mal sehen"
    r"|moment|je regarde"
    r"|i(?:'ve)? found (?:it|the (?:problem|issue|bug|cause))[!.]|good news|sorry|thanks|you're welcome|glad|gern"
    r"|shall i|should i|want me|next\b|soll ich)"
)


def rejects(said: str) -> bool:
    """Return whether a user says that what was tried did not help."""
    return _REJECTS.are_in(said[:600])


def refuses(said: str, answer: str) -> bool:
    """Return whether a user refuses the diagnosis of an answer; a "no" to a question, or to a cure, refuses none."""
    is_asked = answer.rstrip(" *_\n").endswith("?")
    return not is_asked and _reported(_WORKS, answer) is None and bool(compiled(_REFUSES).match(said))


def confirms(said: str) -> bool:
    """Return whether a user says that it works, or thanks."""
    return not rejects(said) and _CONFIRMS.are_in(said[:300])


def tells_cause(said: str) -> bool:
    """Return whether a user says what the matter was: "found it: the VPN was off"."""
    return _USER_FOUND.are_in(said[:600]) and not only_asks(said)


def still_fails(answer: str) -> bool:
    """Return whether an answer ends with the report that an attempt did not help, and no cure follows it."""
    place = _reported(_STILL_FAILS, answer)
    return place is not None and only_looks(answer[place:]) and _reported(_WORKS, answer[place:]) is None


def works(answer: str) -> bool:
    """Return whether an answer reports that what was tried helped."""
    return not still_fails(answer) and _reported(_WORKS, answer) is not None


def attempt(answer: str) -> str:
    """Return an answer without the sentences that only report that it did not help."""
    return " ".join(one for one in _SENTENCE.split(answer) if not still_fails(one) or not only_looks(one))


def orders_next(said: str) -> bool:
    """Return whether a user orders the next attempt: "then we move to Postgres", "try a longer timeout first"."""
    return bool(compiled(_NEXT_STEP).match(said)) and not compiled(_LEAVES).search(said[:200])


def fails_again(before: str, order: str, answer: str) -> bool:
    """Return whether the answer to an order reports that what was said before of an error did not help."""
    is_about = orders_next(order) or _share(before, f"{order}\n{answer}")
    return is_about and still_fails(answer) and not confirms(order)


def is_next_attempt(before: str, order: str, answer: str) -> bool:
    """Return whether an order after a failed attempt goes on with the same error: by its words, or by its answer."""
    if compiled(_LEAVES).search(order[:200]):
        return False
    return orders_next(order) or _share(before, order) or still_fails(answer) or works(answer)


def _share(before: str, said: str) -> bool:
    """Return whether a text speaks of what was said before: it has a word of it, or the word "error"."""
    first, second = ({word[:_STEM] for word in content_words(text) if len(word) > 3} for text in (before, said))
    return bool(second & (first | {"erro", "fehl", "prob"}))


def _reported(phrases: Phrases, answer: str) -> int | None:
    """Return where the last sentence's phrase ends that reports it; one that is supposed or asked is no report."""
    place, found = 0, None
    for sentence in _SENTENCE.split(answer):
        begin = answer.index(sentence, place)
        place = begin + len(sentence)
        if sentence.endswith("?") or compiled(_SUPPOSED).search(sentence):
            continue
        if match := phrases.search(sentence):
            found = begin + match.end()
    return found


_STEM = 4  # letters by which forms of one word are compared


class _Piece(NamedTuple):
    place: int
    text: str
    worth: float


def remedy(answer: str, topic: frozenset[str], limit: int) -> str:
    """Return the sentences of an answer that say cause and cure, in their order, in at most `limit` tokens.

    Empty if there is none: an answer that only asks, or promises to look. Short code is kept where there is room.
    """
    pieces = [*_pieces(_CODE_BLOCK.sub("\n", answer), topic)]
    good = sorted((one for one in pieces if one.worth > 0), key=lambda one: (-one.worth, one.place))
    chosen, left = [], limit
    for one in good:
        cost = tokens(one.text) + 1
        if cost <= left:
            chosen.append(one)
            left -= cost
    if not chosen and good:
        return shortened(good[0].text, limit)
    said = " ".join(_ended(one.text) for one in sorted(chosen)).removesuffix(":")
    code = next((block.strip("\n") for block in _CODE_BLOCK.findall(answer) if block.strip()), "")
    if said and code and tokens(code) <= min(_SHORT_CODE, left - 2):
        return f"{said}\n{code}"
    return said


def restates(answer: str, error: str) -> bool:
    """Return whether an answer says no more than the error itself: "IRAM overflows by 2 KB"."""
    known = {word[:_STEM] for word in content_words(error)}
    said = {word for word in content_words(answer) if len(word) > 2 and not word.isdigit()}
    return all(word[:_STEM] in known for word in said)


def _ended(piece: str) -> str:
    return piece if piece[-1] in '.!?:;…`"”)' else f"{piece}."


def shortened(text: str, limit: int) -> str:
    """Return the beginning of a text in at most so many tokens, cut at the end of a word."""
    if tokens(text) <= limit:
        return text
    cut = text[: max(1, 4 * limit - 4)]
    while tokens(cut) > limit - 1 and len(cut) > 1:
        cut = cut[: len(cut) * 3 // 4]
    space = cut.rfind(" ", len(cut) // 2)
    return f"{cut[: space if space > 0 else len(cut)].rstrip(' ,;:')}…"


def _pieces(text: str, topic: frozenset[str]) -> list[_Piece]:
    """Cut a text into sentences; a short list is one piece. Headings and tables say nothing by themselves."""
    said: list[str] = []
    items: list[str] = []
    for line in [*text.split("\n"), ""]:
        if item := _ITEM.match(line):
            items.append(line[item.end() :].strip())
            continue
        if items and line.strip():
            said += _listed(items)
            items = []
        if not line.lstrip().startswith(("#", "|")):
            said += _SENTENCE.split(line)
    said += _listed(items)
    told = [bare for one in said if (bare := one.strip()) and any(map(str.isalpha, bare))]
    return [_Piece(place, one, _worth(place, one, topic)) for place, one in enumerate(told)]


def _listed(items: list[str]) -> list[str]:
    whole = "; ".join(item.rstrip(" ,;.") for item in items)
    return [whole] if tokens(whole) <= _SHORT_LIST else items


def _worth(place: int, sentence: str, topic: frozenset[str]) -> float:
    bare = sentence.lstrip(_MARKS)
    if sentence.endswith("?") or compiled(_FILLER).match(bare) or len(bare) < 8:
        return 0.0
    cause, cure = _CAUSE.are_in(sentence), _CURE.are_in(sentence)
    if not cause and not cure:
        return 0.3 if place < 2 and len(bare) > 15 else 0.0
    near = len(topic.intersection(word.lower() for word in re.findall(r"[^\W_]{3,}", sentence)))
    return cause + 1.2 * cure + 0.3 * min(near, 3) + (0.5 if place < 2 else 0.0)


def only_looks(answer: str) -> bool:
    """Return whether an answer says neither cause nor cure: it asks back, or promises to look."""
    pieces: Sequence[_Piece] = _pieces(_CODE_BLOCK.sub("\n", answer), frozenset())
    return not any(one.worth >= 0.5 for one in pieces)
