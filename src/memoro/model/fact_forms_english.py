"""How people state facts of their life and work in English. The forms are tried in this order."""

from __future__ import annotations

from memoro.model.fact_forms import FactForm, form
from memoro.model.fact_words_english import (
    ADVERBS,
    AM,
    BEEN,
    COUNT,
    DAY,
    DOING,
    EVENTS,
    HAVE,
    I_DO,
    KIN,
    LIFE,
    MONTHS,
    NAME,
    NATIONS,
    NO_OBJECT,
    NO_ROLE,
    NOT_KEPT,
    NOW,
    OPINION,
    PASSING,
    SET_UP,
    STATES,
    SUBJECTS,
    VALUED,
    VERBS,
    WE,
    WORD,
)

_NAMES = (
    form("person", 0.95, "my", r"my (?:\w+ )?(?:nick|sur)?name(?:'s| is) (?!in|on|not\b)\w"),
    form("person", 0.9, "i i'm", r"(?:i'm called|i am called|i go by) \w"),
    form("person", 0.9, "people everyone friends", r"(?:people|everyone|friends) calls? me \w"),
    form(
        "person",
        0.85,
        "call",
        r"call me (?!back|when|if|later|at|crazy|old|maybe|a|the|an|on|in|again"
        r"|by)\w+\W*$",
    ),
)
_DATES = (
    form("date", 0.9, "my our the", rf"(?:my|our|the) (?:{WORD} ){{0,4}}?{EVENTS}s?(?: {WORD}){{0,5}}? .*{DAY}"),
    form(
        "date",
        0.8,
        "i we i've we've",
        rf"(?:i|we)(?:'ve| have|'ve got)? (?:a|an|my|our|the|two) (?:{WORD} ){{0,4}}?{EVENTS}s?\b.*{DAY}",
    ),
    form(
        "date",
        0.8,
        "i we i'm we're",
        r"(?:i|we)(?:'m| am|'re| are)? (?:fly|flying|leave|leaving|arrive|arriving|travel|travelling|traveling|move",
        rf"|moving|getting married|start|starting) .*{DAY}",
    ),
    form("date", 0.85, "i", r"i was born (?:on|in)\b"),
)
_PREFERENCES = (
    form(
        "preference",
        0.9,
        "my",
        r"my (?:all-time |absolute |personal )?favou?rite [\w' -]+? (?:is|are|was|were"
        r"|'s)\b",
    ),
    form("preference", 0.85, "", r"(?!that|it|this|they|those)[\w' -]{2,40} (?:is|are) my (?:\w+ )?favou?rites?\b"),
    form(
        "preference",
        0.85,
        "i",
        rf"{I_DO}(?:like|love|enjoy|prefer|hate|dislike|adore|loathe|detest|can't stand|cannot stand|favou?r) ",
        rf"(?!{NO_OBJECT}\b|when you|to (?:know|see|think|hear|ask|thank|say|help you)|talking to you)\w",
    ),
    form(
        "preference",
        0.85,
        "i",
        rf"{I_DO}(?:don't|do not) {ADVERBS}(?:like|eat|drink|enjoy|smoke|wear|watch|care for|do well with)",
        rf" (?!{NO_OBJECT}\b)\w",
    ),
    form("preference", 0.8, "i i'd", r"i(?:'d| would) (?:much |always )?rather (?!not\W*$|you)\w+ \w+"),
    form(
        "preference",
        0.8,
        "i'm i",
        rf"{AM}(?:an? )?(?:big |huge |avid |not (?:an? )?(?:big |huge )?)?(?:fan of|lover of|into|passionate about",
        r"|obsessed with|fond of|keen on|crazy about|afraid of|scared of|terrified of|addicted to|allergic to"
        r"|good at",
        rf"|bad at|terrible at) (?!{NO_OBJECT}\b|seeing)\w",
    ),
    form(
        "preference",
        0.8,
        "i'm i",
        r"i(?:'m| am) (?:more of )?(?:not )?an? [\w' -]{2,25} (?:person|guy|girl"
        r"|lover)\b",
    ),
)
_IDENTITY = (
    form("person", 0.85, "i'm i", rf"{AM}\d{{1,2}}(?: years? old| yrs?| yo)?(?:\W*$|,| and | years)"),
    form("person", 0.85, "i'm i", rf"{AM}(?:from|based in|living (?:in|with|at|near)|located in|born in) \w"),
    form("person", 0.85, "i'm i", rf"{AM}(?:not )?(?:{STATES}|{NATIONS})\b"),
    form("person", 0.8, "i'm i", rf"{AM}an? (?!{NO_ROLE}\b)[\w'-]{{3,}}"),
    form("person", 0.75, "i'm i", rf"{AM}{DOING}(?:\b|(?<= ))"),
    form("person", 0.8, "i", rf"{I_DO}{LIFE}(?:\b|(?<= ))"),
    form("person", 0.8, "i've i", rf"{HAVE}been {BEEN}\b"),
    form(
        "person", 0.75, "i've", r"i've (?:lived|worked (?!on)|taught|owned|visited|played|studied|had \w+ \w+ for)\b"
    ),
    form(
        "person",
        0.8,
        "i've i",
        rf"(?:i've got|i have|i've) {ADVERBS}{COUNT} (?!(?:{WORD} ){{0,2}}?{NOT_KEPT}\b)\w\w",
    ),
    form(
        "person",
        0.85,
        "i i've",
        r"(?:i've got|i have|i suffer from) (?:type \d )?(?:asthma|diabetes|epilepsy|adhd|autism"
        r"|anxiety|depression|arthritis|migraines|celiac|coeliac|hypertension|high blood pressure)\b",
    ),
    form(
        "person",
        0.8,
        "i",
        r"i (?:don't|do not) have (?:any |a |an |my own )?(?:kids|children|siblings|brothers|sisters|pets?|dogs?"
        r"|cats?",
        r"|car|driver'?s?|license|tv|job|degree|insurance|family)\b",
    ),
    form(
        "person",
        0.75,
        "i",
        r"i (?:can't|cannot|can|don't|do not) (?:eat|drive|swim|drink|speak|own|sing|play|ride|cook)\b",
        r" (?!it|that|this|the)\w",
    ),
    form(
        "person",
        0.7,
        "i",
        r"i used to (?:be (?!a bit)|work|live|play|have|own|smoke|teach|drive|run|go|study|dance|sing)\b",
    ),
    form("person", 0.75, "i", r"i use (?!it\b|that|this|them|the |those|these|to\b)\w"),
)
_FAMILY = (
    form(
        "person",
        0.9,
        "my our",
        rf"(?:my|our) (?:{WORD} ){{0,2}}?{KIN}(?:(?:,? [\w.'-]+){{0,6}}?,? {VERBS} (?!{OPINION}\b)"
        rf"|(?: [\w.-]+)?'s",
        r" (?:an?|the|\d|called|named|from|allergic|vegan|vegetarian|married|pregnant|getting married|name is)\b)",
    ),
    form(
        "person",
        0.85,
        "",
        rf"(?!it|that|this|he|she|there|what|which|here|who|such|one|the|my){WORD}(?: {WORD})? is (?:my"
        rf"|our) (?!favou?rite"
        r"|first|last|next|guess|question|problem|point|only|main (?:problem|concern)|goal|top pick|future)",
        rf"(?:{WORD} ){{0,3}}{WORD}",
    ),
    form(
        "person",
        0.9,
        "we we're",
        rf"we(?:'re| are) {ADVERBS}(?:married|engaged|divorced|expecting|based in|from|vegan|vegetarian)\b",
    ),
    form("fact", 0.75, "my", rf"my (?!(?:{WORD} ){{0,1}}?{PASSING}\b)(?:{WORD} ){{1,3}}?{NOW} (?!{OPINION}\b)\w"),
)
_DECISIONS = (
    form(
        "decision",
        0.9,
        "we i we've i've",
        r"(?:we|i)(?:'ve| have)?(?: all| finally| just| now)? (?:decided|agreed|settled on|chosen|chose|opted"
        r"|signed off) ",
        r"(?!that already|already|it\b|this\b)\w",
    ),
    form(
        "decision",
        0.9,
        "decision decided the our agreed",
        r"(?:the |our )?(?:final )?decision(?: is(?: made)?|:)[ :]|(?:decided|agreed): ",
    ),
    # With what it is for: "let's use tabs" alone is not understood later.
    form(
        "decision",
        0.75,
        "let's lets we'll we're we i'll",
        r"(?:let'?s|(?:we|i)(?:'ll| will|'re| are)) (?:go(?:ing)? with|use|stick(?:ing)? (?:with|to)"
        r"|stay(?:ing)? (?:with|on)",
        r"|keep|settle on|standardi[sz]e on|drop(?:ping)?|switch(?:ing)? to|mov(?:e|ing) to) ",
        r"(?!it\b|that\b|this\b|these|those|them|each|up|\w+ing|\w+in'|the |an? |option)\w.* (?:for|as|instead of"
        r"|rather than) \w",
    ),
)
_WORK = (
    form(
        "fact",
        0.8,
        "we",
        rf"{WE}(?:use|run|host|deploy|store|keep|ship|release|support|target|meet|pay|rent|own|live|work (?:in|at"
        rf"|from|with)",
        r"|moved (?:to|from)|bought|adopted|bill|freeze|develop|write (?:all|our)|only use|don't (?:use|support"
        r"|deploy|ship))",
        r" (?!it\b|that\b|this\b|them|the same)\w",
    ),
    form("fact", 0.8, "we", rf"{WE}have (?:an?|one|two|three|four|\d+|no) (?!(?:{WORD} ){{0,2}}?{NOT_KEPT}\b)\w"),
    form(
        "fact",
        0.8,
        "our",
        rf"our (?!(?:{WORD} ){{0,1}}?{PASSING}\b)(?:{NAME} ){{1,4}}?(?:{SET_UP}|{VALUED}"
        rf"|{NOW}) (?!{OPINION}\b)\S",
    ),
    form(
        "fact",
        0.75,
        "the",
        r"the (?:spare |house |door |alarm |wifi |wi-fi |guest |garage |bike |safe |gate )+(?:keys?|code|password"
        r"|pin|network"
        r"|combination|room|remote) (?:is|are|hangs?|lies) \w",
    ),
    form(
        "fact",
        0.75,
        "the our my",
        r"(?:the|our|my) (?:\w+ )?(?:budget|rent|salary|fee) is (?:about |around |now )?[$€£]?\d",
    ),
    form(
        "fact",
        0.8,
        "the this production staging prod ci",
        rf"(?:(?:the|this) (?:{NAME} ){{0,3}}?)?{SUBJECTS} (?:{NAME} ){{0,1}}?{SET_UP} (?!an? |it\b|this|that"
        rf"|too|the (?:wrong|same))\S",
    ),
    form(
        "fact",
        0.75,
        "the this production staging prod ci",
        rf"(?:(?:the|this) (?:{NAME} ){{0,3}}?)?{SUBJECTS} (?:{NAME} ){{0,1}}?{VALUED}\b.*(?:\d|`|[a-z]\.[a-z]"
        rf"|/|\w+day\b|{MONTHS})",
    ),
)
FORMS: tuple[FactForm, ...] = (*_NAMES, *_DATES, *_PREFERENCES, *_IDENTITY, *_FAMILY, *_DECISIONS, *_WORK)
