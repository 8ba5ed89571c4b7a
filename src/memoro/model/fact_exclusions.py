"""Words that make a statement no fact to keep: a guess, a plan, somebody else's words, a joke, a passing state.

English, German and Chinese. All patterns are for lower case with straight apostrophes.
"""

from __future__ import annotations

from memoro.model.phrases import compiled

# What is not so, or perhaps so, or wished for.
_UNSURE = "|".join(
    (
        r"\b(?:if|unless|suppose|supposing|imagine|pretend|assuming|hypothetically|what if|let's say|say i)\b",
        r"\b(?:would|could|might|maybe|perhaps|probably|possibly|wish|hopefully|hoping|i hope|should|shouldn't"
        r"|someday|one day)\b"
        r"(?<!i would rather)(?<!we would rather)",
        r"\b(?:thinking (?:of|about)|consider(?:ing)?|toying|planning (?:to|on)|plan to|tempted|not sure|unsure"
        r"|no idea"
        r"|i guess|i suppose|i think|i believe|i assume|i bet|i doubt|i'd say|not certain|as if|as though|seems?"
        r"|supposed to|about to|going to|want to|wanna|wanted to|need to|needs to|have to figure|trying to|try to"
        r"|tried to|used to think|almost|ought to|gonna|i'd (?!rather)|we'd|i'll|we'll (?!use|go|stick))\b",
        r"\b(?:wenn|falls|angenommen|vielleicht|eventuell|womöglich|möglicherweise|wahrscheinlich|vermutlich"
        r"|hoffentlich"
        r"|wünschte|würden?|könnten?|wäre|hätte|hätten|überlege|überlegen|denke darüber nach|plane|planen|vorhabe"
        r"|mal sehen|glaube|glaub|schätze|keine ahnung|nicht sicher|unsicher|als ob|irgendwann|möchte|möchten|wollte"
        r"|vielleicht|gesetzt den fall|sollte|sollten|soll|theoretisch|versuche|will (?!immer|nie|keine?))\b",
        r"如果|假如|要是|假设|可能|也许|或许|大概|打算|考虑|希望|想要|想(?:去|买|学|换|找|试|做|请|问|把|让)|应该会"
        r"|说不定|估计|不确定|不知道|好像"
        r"|万一|倘若|的话|准备(?:去|买)|计划(?:去|买)|猜|似乎|差点|本来想",
    )
)
# Words of somebody else.
_QUOTED = "|".join(
    (
        r"\b(?:he|she|they|it|somebody|someone|people|everyone|who|docs?|article|email|mail|readme|book|website|text"
        r"|[a-z]+|(?:my|our|the) [\w' -]{2,30}) (?:said|says|told|tells|wrote|writes|claims?|claimed|thinks?|asked"
        r"|asks"
        r"|mentioned|insists that|reckons|replied|answered|suggested|suggests|believes?|complained)\b",
        r"\b(?:according to|quote|quoted|so-called|apparently|supposedly|rumou?r|i (?:heard|read|saw) that"
        r"|i was told)\b",
        r"\b(?:sagte|sagt|meinte|meint|schrieb|schreibt|behauptet|behauptete|erzählte|erzählt|fragte|fragt"
        r"|findet, dass"
        r"|gesagt|geschrieben|gemeint|behauptet|angeblich|laut|zufolge|soll angeblich|anscheinend|gelesen"
        r"|gehört, dass)\b",
        r"(?:他|她|他们|别人|有人|老板|医生|同事|客户|文章|书|网上|新闻|邮件)[^，,。]{0,4}(?:说|写|问|觉得|认为"
        r"|告诉|提到)|据说|听说|所谓|上面写",
    )
)
_JOKES = (
    r"\b(?:just kidding|kidding|joking|jk|lol|lmao|rofl|haha\w*|hehe|yeah right|sarcasm|as if|obviously not"
    r"|not really"
    r"|in my dreams|april fools|scherz|spaß|witz|haha|von wegen|schön wär'?s|ironie|nur so gesagt)\b"
    r"|(?:^|\s)/s(?:\W|$)|[😂🤣😜🙃😉😏]|[;:]-?[)pD](?:\W|$)|开玩笑|哈哈|逗你|才怪|呵呵|骗你|说笑"
)
# How the speaker takes back what they said just before.
_RETRACTS = (
    r"^\W*(?:(?:no|oh|ah|haha|sorry|ok)[,.! ]+)*(?:just kidding|i'?m (?:just |only )?(?:kidding|joking)|kidding"
    r"|joking"
    r"|jk|scratch that|forget (?:that|it|what i said)|never ?mind(?: that)?|i was (?:just |only )?(?:kidding|joking)"
    r"|that was (?:a joke|wrong|a lie)|not really|ignore that|(?:nur |war (?:nur |nur ein )?)(?:ein )?(?:spaß"
    r"|scherz|witz)"
    r"|kleiner (?:scherz|spaß)|quatsch|vergiss (?:das|es)|stimmt nicht|開玩笑|(?:我)?开玩笑(?:的|啦)?|逗你(?:的|玩)"
    r"|骗你的"
    r"|当我没说|说错了)"
)
# What holds for the moment only.
_PASSING = "|".join(
    (
        r"\b(?:today|right now|at the moment|just now|this (?:morning|afternoon|evening|minute|time|one)|tonight"
        r"|yesterday"
        r"|in (?:\d+|a few|five|ten) (?:minutes?|mins?|hours?|seconds?)|gotta|a (?:minute|moment|second|while) ago"
        r"|again|for now|so far|any minute|in a (?:minute|moment|bit)"
        r"|last night"
        r"|earlier|(?:an?|few|\d+) (?:hours?|minutes?) ago|still (?:getting|seeing|waiting|running|trying))\b",
        r"\b(?:heute|gerade|im moment|momentan|eben|vorhin|gestern|gleich|jetzt gerade|diesmal|wieder|heute (?:früh"
        r"|abend)"
        r"|noch nicht|bisher|vorerst|zur zeit)\b",
        r"今天|刚才|刚刚|现在正|目前正|昨天|昨晚|今晚|今早|一会儿|等一下|马上|这次|暂时|正在",
    )
)
# What is wrong at the moment: reports of a problem, feelings, courtesy.
_TROUBLE = "|".join(
    (
        r"\b(?:error|errors|exception|traceback|fail(?:s|ed|ing|ure)?|crash\w*|broken|breaks|stuck|hangs?|hanging"
        r"|bug|bugs"
        r"|doesn't work|not working|isn't working|won't|timeout|timed out|red|flaky|undefined|null|segfault|leak\w*"
        r"|slow|stopped working|empty|missing|returns?|throws?|prints?|shows?|looks?|crashed|merge conflict"
        r"|stack trace)\b",
        r"\b(?:fehler|fehlermeldung|fehlgeschlagen|kaputt|hängt|abgestürzt|stürzt|geht nicht|funktioniert nicht"
        r"|klappt"
        r"|fehlt|langsam|leer|spinnt|rot|wirft|zeigt|gibt .* zurück)\b",
        r"报错|错误|失败|崩溃|卡住|不行|不工作|挂了|超时|坏了|有问题|出问题|异常|bug",
    )
)
_FEELING = (
    r"^i(?:'m| am)(?: (?:so|really|very|just|also|pretty|a bit|a little|still|not|quite|too|super|kind of|feeling"
    r"|all))*"
    r" (?:tired|hungry|back|here|ready|done|stuck|confused|sorry|sure|glad|happy|excited|good|fine|ok|okay|great"
    r"|well"
    r"|bored|busy|sad|angry|annoyed|lost|curious|impressed|worried|surprised|afraid (?:i|we|that|so)|aware|doing"
    r"|trying"
    r"|looking|getting|seeing|wondering|thinking|going|having|using it|asking|talking|joking|kidding|in a hurry|late"
    r"|almost|about|over|out|off|on it|at|able|unable|free|jealous|proud|thankful|grateful|blessed|lucky|sick of"
    r"|open to"
    r"|in (?:the middle|a meeting|trouble|the mood))\b"
    r"|^ich bin (?:(?:so|sehr|gerade|noch|nicht|ganz|schon|heute|etwas|ein bisschen|total|echt) )*(?:müde|hungrig"
    r"|zurück|da"
    r"|hier|fertig|bereit|unsicher|sicher|froh|glücklich|gespannt|verwirrt|genervt|gestresst|traurig|dran|dabei"
    r"|gleich"
    r"|unterwegs|im|in|auf|mir|neugierig|begeistert|zufrieden|einverstanden|krank|spät|weg)\b"
    r"|^我(?:很|有点|好|真的?|太|也|都|非常|现在)*(?:累|困|饿|开心|高兴|难过|忙|烦|着急|担心|好奇|明白|知道|同意"
    r"|在想|回来|到了|没事|抱歉)"
)


def is_unsure(lower: str) -> bool:
    """Return whether a statement guesses, wishes, plans or supposes."""
    return compiled(_UNSURE, 0).search(lower) is not None


def quotes(lower: str) -> bool:
    """Return whether a statement gives the words of somebody else."""
    return compiled(_QUOTED, 0).search(lower) is not None


def jokes(lower: str) -> bool:
    return compiled(_JOKES, 0).search(lower) is not None


def retracts(lower: str) -> bool:
    """Return whether a sentence takes back what its speaker said just before."""
    return compiled(_RETRACTS, 0).search(lower) is not None


def is_passing_state(lower: str) -> bool:
    """Return whether a statement tells how something is at the moment: a feeling, a problem, what runs."""
    return compiled(_FEELING, 0).search(lower) is not None


def names_moment(lower: str) -> bool:
    """Return whether a statement names a moment: "today", "just now"."""
    return compiled(_PASSING, 0).search(lower) is not None


def tells_trouble(lower: str) -> bool:
    """Return whether a statement reports what goes wrong."""
    return compiled(_TROUBLE, 0).search(lower) is not None
