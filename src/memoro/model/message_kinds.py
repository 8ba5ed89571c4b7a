"""Which kind of message a person sent: one that needs no memory, a question, a task, or a statement. Pure rules.

The word lists are whole words and phrases of several languages. A message is an acknowledgement, a greeting or a
bare command only if it holds nothing else, so that a language without a list loses nothing but silence.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from memoro.model.phrases import Phrases
from memoro.model.statements import only_asks

# What a message wants. The first three need no memory.
MessageKind = Literal[
    "acknowledgement", "greeting", "command", "continuity", "time", "error", "question", "task", "statement"
]
SILENT_KINDS: tuple[MessageKind, ...] = ("acknowledgement", "greeting", "command")
_LONGEST = 120  # characters of a message that needs no memory
_BRIEF_REPLY = "a brief reply"
_THANKS_WORDS = 7  # of thanks that say for what
_BRIEF, _SHORT_WORD = 5, 7  # words of a brief reply, and letters of the one that is not in the lists
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SLASH = re.compile(r"[/!][\w:-]+(?:\s+\S{1,40}){0,3}\s*")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ACKNOWLEDGED = _words(
    """
    ok okay okey okee k kk yes yep yeah yup yea ya aye no nope nah sure right correct exactly indeed true agreed
    deal fine good great nice cool perfect excellent awesome amazing brilliant lovely super wonderful fantastic
    beautiful neat sweet thanks thank thankyou thx ty tyvm cheers please pls welcome done noted understood
    understand see got gotcha lgtm works worked looks sounds makes sense fair enough point well alright alrighty
    moment kay roger ack yay wow haha hahaha hehe lol hm hmm hmmm mhm uh uhm um oh ah aha ooh phew bye goodbye cya
    later tomorrow tonight weekend sorry oops nevermind never mind problem worries absolutely definitely certainly
    totally perfectly completely ja ja! jo joa jup jep nein nee ne klar genau stimmt richtig gut super prima toll
    klasse perfekt passt danke dankeschön schön vielen bitte gerne gern verstanden alles ordnung einverstanden
    okidoki tschüss tschüs ciao bis dann morgen später sehr hervorragend wunderbar geht läuft fein sauber spitze
    top oui ouais non merci beaucoup parfait bien très super génial daccord d'accord ça va entendu compris top
    nickel voilà salut sí si no vale claro gracias muchas perfecto genial bueno listo dale hecho entendido exacto
    adiós hasta luego de acuerdo sim não obrigado obrigada valeu perfeito ótimo beleza certo isso tá bom boa
    entendi feito tchau sì grazie mille perfetto bene ottimo capito esatto certo fatto va prego ciao bedankt dank
    je wel prima goed hartstikke graag klopt oké doei tack bra takk kiitos hyvä dzięki dobrze tak nie super
    dziękuję díky dobře ano spasibo спасибо да нет хорошо ок отлично ta tak yup np okie oki oky kewl thanx tysm
    brill sorted lovely ace understood noted agreed понял понятно ладно супер дякую teşekkürler tamam evet
    """
)
_GRATITUDE = _words(
    """thanks thank thx ty cheers danke merci gracias obrigado obrigada grazie bedankt tack takk dziękuję спасибо"""
)
_FOR = _words("""for für pour por pelo pela per voor för""")
_OBJECTIONS = _words("""but however though fails failed error wrong broken aber jedoch mais pero ma mas maar""")
_GO_ON = _words(
    """
    continue proceed go ahead on next keep going resume do start begin ready let's lets weiter mach fortfahren los
    leg ja mache continue continuer continuez vas-y allez suite sigue continúa adelante continua continue prossiga
    vai avanti procedi doorgaan ga verder продолжай дальше
    """
)
_COMMANDS = _words(
    """
    commit push pull run rerun retry try again undo redo revert stop wait cancel abort save close merge rebase
    stash apply approve accept reject skip exit quit clear reset test build format lint committe committen pushen
    ausführen nochmal erneut wiederholen stopp warte abbrechen speichern
    """
)
# Words that say nothing by themselves.
_FILLERS = _words(
    """
    it that this them these those all both one the a an so and then now just also too very much really quite for
    me you us i i'm i'll im we he she is was are be to of in with at lot bit your my our much more all's
    everything nothing else please up out off over here there as well said will would can could it's its that's
    thats that'll not but or if das es dies die der den dem ein eine und dann jetzt noch auch mal so sehr für mich
    dir dich du ich wir ist war mit einfach bitte erstmal nur doch halt also aber oder alles nichts le la les un
    une et puis maintenant pour moi toi vous je tu c'est tout rien el lo los las y ahora para mí ti tu yo es todo
    nada o os as e agora eu você é tudo mais il gli ora per io tutto het en nu voor jij ik
    """
)
_GREETINGS = _words(
    """
    hi hello hey heya hiya howdy yo good morning afternoon evening day night gm greetings there everyone all folks
    team again back i'm im am hallo moin servus grüezi grüß gruß dich euch guten morgen tag abend mahlzeit
    zusammen na bonjour bonsoir salut coucou hola buenas buenos días dias tardes noches olá ola bom boa dia tarde
    noite oi buongiorno buonasera salve ciao hoi goedemorgen goedemiddag hej god morgon morgen tere привет
    здравствуйте добрый день утро merhaba günaydın cześć dzień dobry ahoj
    """
)
_UNSPACED_ACKNOWLEDGED = _words(
    """
    好 好的 好吧 好啊 可以 行 嗯 嗯嗯 是 是的 对 对的 不 不用 不是 谢谢 谢谢你 多谢 谢了 感谢 继续 继续吧 没问题
    明白 明白了 知道了 收到 了解 不错 很好 太好了 完美 棒 真棒 厉害 辛苦了 再见 早 早上好 你好 您好 晚上好 下午好
    大家好 嗨 哈哈 哈哈哈 就这样 开始吧 来吧 提交 提交吧 はい いいえ うん ありがとう ありがとうございます 了解です
    続けて 続けてください お願いします 大丈夫 いいね 完璧 こんにちは おはよう おはようございます こんばんは
    さようなら 네 예 아니요 감사합니다 고마워 계속 계속해 좋아 좋아요 안녕하세요 안녕
    """
)
# A greeting before something else.
_GREETING = re.compile(
    r"(?i)^\W*(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening)|gm|morning|hallo|moin(?: moin)?|servus|"
    r"guten (?:morgen|tag|abend)|morgen|bonjour|bonsoir|salut|coucou|hola|buenos d[ií]as|buenas(?: tardes| noches)?|"
    r"ol[áa]|oi|bom dia|boa (?:tarde|noite)|buongiorno|buonasera|ciao|hej|hoi|goedemorgen|привет|"
    r"добрый день|cześć|dzień dobry|你好|您好|早上好|早|嗨|おはよう(?:ございます)?|こんにちは|안녕하세요)"
    r"(?:[ ,]+(?:there|again|all|everyone|team|claude|codex|gemini|zusammen|à tous|a todos))?"
    r"\s*[,.!:;–—，。！-]+\s*)+"
)


# How a question begins in languages other than English and German, or holds in those without spaces.
_ASKING = re.compile(
    r"(?i)\W*(?:quels?|quelles?|qui|où|quand|pourquoi|comment|combien|est-ce que?|qu'est-ce|à quel\w*|"
    r"qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cómo|cuánt[oa]s?|por qué|a qué|"
    r"qual|quais|quem|onde|quando|como|quant[oa]s?|por que|o que|"
    r"quale|quali|chi|dove|perché|quanto|quanti|cosa|che cosa|"
    r"wat|welke?|waar|wanneer|waarom|hoe|hoeveel|что|кто|где|когда|почему|как|какой|какая|сколько)\b"
    r"|.*(?:什么|哪|谁|怎么|为什么|多少|几|吗|何|どこ|いつ|誰|なぜ|どう|무엇|어디|언제|누구|왜|어떻게)"
)


# Requests that memory seldom helps: knowledge of the world, conversions, translations, jokes and poems.
_GENERAL = Phrases(
    (
        "explain|describe|define",
        r"(?:please )?(?:explain|describe|define) (?:the (?:difference|concept)|what|how|why|\w+ to)\b",
    ),
    ("convert|translate|how do you say|spell", r"(?:please )?(?:convert|translate|how do you (?:say|spell)|spell)\b"),
    (
        "what",
        r"what(?:'s| is| are| does| was) (?:a (?:good|nice|funny) \w+|the (?:best|usual|typical) \w+ (?:for|to)\b"
        r"|(?:a |an |the )?(?:capital|difference between|meaning|definition|synonyms?|population|distance"
        r"|boiling point|formula|weather|plural|square root)\b)",
    ),
    (
        "how m|how far|how old|how tall|how big",
        r"how (?:many|much|far|old|tall|big) .{1,40}\b(?:in an?|is an?|per|from .{1,20} to)\b",
    ),
    (
        "write|tell|make|give|compose",
        r"(?:please )?(?:write|tell|make|give|compose)(?: me| us)? (?:a|an|some|another) (?:\w+ )?"
        r"(?:haiku|poem|joke|limerick|song|riddle|pun|rhyme|story|fun fact)",
    ),
    ("who", r"who (?:was|wrote|invented|discovered|won|painted|founded|directed)\b"),
    ("erklär|übersetz|rechne|definiere", r"(?:bitte )?(?:erklär\w*|übersetz\w*|rechne|definiere)\b"),
    (
        "was ist|was bedeutet|was heißt|wie viele",
        r"(?:was (?:ist|bedeutet|heißt) (?:der unterschied|die hauptstadt|ein\w*)"
        r"|wie viele .{1,30} (?:hat|sind in) ein\w*)",
    ),
    (
        "schreib|erzähl",
        r"(?:schreib\w*|erzähl\w*)(?: mir| uns)? (?:ein\w*) (?:\w+ )?(?:haiku|gedicht|witz|limerick|geschichte|reim)",
    ),
    ("expli|tradui|convertis|raconte", r"(?:explique|traduis|convertis|raconte)\w*\b"),
)
_OWN = re.compile(
    r"(?i)\b(?:we|our|ours|us|my|mine|here|this|these|again|wir|unser\w*|uns|mein\w*|hier|dies\w*|"
    r"notre|nos|mon|ma|mes|ici|nuestr\w*|mi|nosso|nossa|meu|minha)\b"
)


# Words before an order, and the verbs of orders. A verb that also begins questions or statements is not among them.
_BEFORE_ORDER = _words(
    """
    please now then and also next ok okay so just first hey hi great thanks could can would will you we i let's
    lets us me need want to bitte jetzt dann und noch mal kannst du könntest s'il te plaît peux-tu tu peux por
    favor puedes
    """
)
_ORDERS = _words(
    """
    add append apply arrange assign attach automate bake benchmark book build bump bundle buy calculate change
    check clean clear close code collect combine compare compile compose configure connect convert copy correct
    create cut debug define delete deploy describe design disable document download draft drop edit email enable
    encrypt ensure estimate evaluate export expose extend extract fetch file fill filter find finish fix format
    generate give group handle hide highlight implement import improve include increase index insert inspect
    install instrument integrate invite label limit link list load localise localize lock log lower make map mark
    measure merge migrate mock monitor move name normalise normalize notify open optimise optimize order organise
    organize pack paginate parse pass patch pin plan plot polish port post prepare print profile proofread propose
    protect provide prune publish pull push put raise record redesign reduce refactor register release reload
    remind remove rename render reorder repair replace reply report reproduce reserve reset resize resolve restore
    restrict retry return reuse review revise rewrite roll rotate run save scaffold scan schedule scrape secure
    seed send serve set shorten show simplify sketch skip solve sort speed split stage start store stream style
    submit suggest summarise summarize support switch sync tag test tidy tighten trace track train transform
    translate trigger trim tune turn type unify update upgrade upload use validate verify vendor version warn wire
    wrap write aktualisiere analysiere ändere baue bau bereite berechne beschreib beschreibe bestelle bring buche
    definiere dokumentiere entferne entwirf ergänze erklär erkläre erstelle erweitere exportiere fass fasse finde
    formatiere formuliere füg füge generiere implementiere importiere installiere kopiere korrigiere kürze leg
    lege lies liste lösche mach mache migriere nimm optimiere passe plane prüf prüfe räum räume refaktoriere
    repariere richte schick schicke schreib schreibe schütze setz setze sortiere speichere starte stell stelle
    such suche teile teste trage überarbeite übersetze verbessere vergleiche verschiebe versuche zeichne zeig
    zeige ajoute ajouter corrige crée créer déplace écris écrire envoie fais génère modifie mets prépare refais
    remplace renomme rédige rédiger relis résume supprime traduis trace vérifie añade agrega arregla borra busca
    cambia crea escribe envía genera haz prepara quita resume revisa traduce adiciona apaga arruma cria corrige
    escreve envia faz gera muda prepara remove revisa traduz
    """
)


_HERE = re.compile(
    r"(?i)\b(?:this|here|it|the (?:project|repo|repository|app|site|service|code|blog|paper|book|course)"
    r"|dies\w*|hier|das (?:projekt|repo)|ici|ce (?:projet|dépôt|site)|aquí|este (?:proyecto|repo)|aqui"
    r"|este projeto)\b"
)
_LOOKED_AT = 600  # characters of a message in which an order is looked for
_PART = re.compile(r"(?<=[.!;:\n])\s+|,?\s+(?:and|then|und|dann|et|puis|y|e)\s+")
_TELL_ME = re.compile(
    r"(?i)(?:please |now |bitte )*(?:(?:give|show|tell|remind|write|send)(?: (?:me|us)) (?:again )?(?:of )?"
    r"(?:the|our|my|what|which|who|where|when|how|about)\b|(?:zeig|gib|sag|nenn|erinnere?)e? (?:mir|uns|mich|mal) )"
)


class MessageReading(NamedTuple):
    """What a message is, in the words of `session show`, and what it is about without its greeting."""

    kind: MessageKind
    why: str
    about: str
    is_general: bool = False  # it asks for what anybody may know, and says nothing of the work


def needs_no_memory(message: str) -> MessageReading | None:
    """Return the reading of a message that only acknowledges, greets or commands; None for any other."""
    text = message.strip()
    if _SLASH.fullmatch(text):
        return MessageReading("command", "a command of the host", text)
    if len(text) > _LONGEST:
        return None
    words = [word.replace("’", "'") for word in _WORD.findall(text.lower())]
    if not words:
        return MessageReading("acknowledgement", "no words", text)
    if _UNSPACED.search(text):
        return _unspaced(text)
    known = [_kinds_of(word) for word in words]
    if text.endswith("?"):
        return None
    if not all(known):
        is_brief = _is_brief_reply(text, words, known)
        return MessageReading("acknowledgement", _BRIEF_REPLY, text) if is_brief else None
    found = frozenset().union(*known)
    if "greeting" in found and all("greeting" in one or "filler" in one for one in known):
        return MessageReading("greeting", "a greeting", text)
    if found == {"filler"}:
        return MessageReading("acknowledgement", "no word that says something", text)
    if "command" in found:
        return MessageReading("command", "a command for the conversation itself", text)
    return MessageReading("acknowledgement", "an acknowledgement", text)


def only_acknowledges(text: str) -> bool:
    """Return whether a turn says nothing but yes, thanks or go on. "ok JSON" is brief, but decides something."""
    read = needs_no_memory(text)
    return read is not None and read.why != _BRIEF_REPLY


def _is_brief_reply(text: str, words: Sequence[str], known: Sequence[frozenset[str]]) -> bool:
    """Return whether a message acknowledges and adds at most one short plain word: "good, let them", "ok ship it"."""
    if not _OBJECTIONS.isdisjoint(words):
        return False
    if len(words) == 1 and text.endswith("!"):  # "bravo!"
        return words[0].isalpha()
    others = [word for word, kinds in zip(words, known, strict=True) if not kinds]
    if words[0] in _GRATITUDE and len(words) <= _THANKS_WORDS and not _FOR.isdisjoint(words[1:3]):
        return not any(character.isdigit() or character in ",;`/_:" for character in text)
    return (
        len(words) <= _BRIEF
        and "acknowledgement" in known[0]
        and len(others) == 1
        and len(others[0]) <= _SHORT_WORD
        and others[0].isalpha()
        and others[0] in text  # as it is written: a name begins with a capital
    )


def _kinds_of(word: str) -> frozenset[str]:
    kinds = (
        ("acknowledgement", _ACKNOWLEDGED),
        ("acknowledgement", _GO_ON),
        ("command", _COMMANDS),
        ("filler", _FILLERS),
        ("greeting", _GREETINGS),
    )
    return frozenset(kind for kind, words in kinds if word in words)


def _unspaced(text: str) -> MessageReading | None:
    """The reading of a text in a script without spaces: each part between marks must be in the list."""
    parts = [part for part in re.split(r"[\s\W]+", text) if part]
    is_known = all(
        part in _UNSPACED_ACKNOWLEDGED
        or part.rstrip("了吧啊呀的哦啦呢") in _UNSPACED_ACKNOWLEDGED
        or bool(_kinds_of(part.lower()))
        for part in parts
    )
    return MessageReading("acknowledgement", "an acknowledgement", text) if parts and is_known else None


def without_greeting(message: str) -> str:
    """Return the message without a greeting before it; a mere greeting stays."""
    rest = _GREETING.sub("", message, count=1).strip()
    return rest or message.strip()


def is_question(message: str) -> bool:
    """Return whether a message asks something, with or without a question mark."""
    text = message.strip()
    return text.endswith(("?", "？")) or only_asks(text) or _ASKING.match(text) is not None


def is_general(message: str) -> bool:
    """Return whether a message asks for what anybody may know, or for a small text out of nothing."""
    return _GENERAL.begin(message.strip()) and not _OWN.search(message)


def is_order(message: str) -> bool:
    """Return whether a part of the message begins with an order: "rotate the keys", "bitte ergänze …"."""
    parts = _PART.split(message[:_LOOKED_AT])
    return any(_first_word(part) in _ORDERS for part in parts if not part.rstrip().endswith("?"))


def begins_with_order(message: str) -> bool:
    """Return whether a message begins with an order, after words such as "please"."""
    return _first_word(message) in _ORDERS


def asks_to_be_told(message: str) -> bool:
    """Return whether a message orders nothing but an answer: "give me the command to …", "zeig mir …"."""
    return _TELL_ME.match(message.strip()) is not None


def _first_word(sentence: str) -> str:
    words = _WORD.findall(sentence[:80].lower())
    return next((word for word in words if word not in _BEFORE_ORDER), "")


def points_here(message: str) -> bool:
    """Return whether a message speaks of the project without its name: "how is this deployed?"."""
    return _HERE.search(message) is not None
