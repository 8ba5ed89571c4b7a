"""How people ask what happened at a time: the words, for `continuity_phrases`."""

# One of these stands among the first words of the question.
ASKS = frozenset(
    {
        "what", "which", "anything", "something", "did", "recap", "review", "overview", "list", "show", "tell",
        "give", "summary", "summarise", "summarize", "was", "welche", "zeig", "zeige", "gib", "zusammenfassung",
        "fasse", "fass", "que", "qu", "quoi", "qué", "quais", "cosa", "che", "wat", "o", "总结",
    }
)  # fmt: skip
# One of these says that whatever happened is meant.
HAPPENED = frozenset(
    {
        "did", "done", "do", "happen", "happened", "happening", "worked", "work", "working", "change",
        "changed", "changes", "decide", "decided", "decision", "decisions", "discuss", "discussed", "talk",
        "talked", "finish", "finished", "complete", "completed", "achieve", "achieved", "accomplish",
        "accomplished", "learn", "learned", "learnt", "ship", "shipped", "new", "news", "went", "going",
        "summary", "summarise", "summarize", "recap", "review", "overview", "progress", "activity", "sessions",
        "session", "made", "fix", "fixed", "gemacht", "getan", "passiert", "passierte", "geschehen",
        "gearbeitet", "entschieden", "beschlossen", "besprochen", "geändert", "erledigt", "geschafft",
        "entscheidungen", "neues", "los", "zusammenfassung", "sitzungen", "änderungen", "fait", "passé",
        "décidé", "changé", "travaillé", "hicimos", "pasó", "hecho", "decidimos", "cambió", "cambiamos",
        "trabajamos", "fizemos", "aconteceu", "feito", "decidido", "mudou", "mudámos", "fatto", "successo",
        "deciso", "cambiato", "gedaan", "gebeurd", "besloten", "veranderd", "gebeurde", "deden", "总结",
    }
)  # fmt: skip
# Every other word beside the time is one of these: it names nothing to look for.
BESIDE = frozenset(
    {
        "we", "i", "you", "us", "our", "my", "me", "the", "a", "an", "of", "in", "on", "at", "to", "for",
        "from", "with", "and", "is", "are", "was", "were", "has", "have", "had", "been", "be", "all", "any",
        "else", "here", "there", "this", "that", "it", "project", "repo", "repository", "codebase", "thing",
        "things", "stuff", "please", "so", "far", "about", "during", "over", "everything", "whole", "how", "go",
        "get", "got", "up", "quick", "short", "brief", "just", "again", "together", "around", "back", "key",
        "main", "important", "big", "s", "t", "ve", "d", "re", "wir", "ich", "uns", "mir", "hier", "der", "die",
        "das", "den", "dem", "des", "im", "am", "und", "es", "ist", "sind", "war", "waren", "hat", "haben",
        "habe", "hatten", "wurde", "wurden", "alles", "denn", "noch", "bitte", "mal", "projekt", "diesem",
        "dieser", "von", "zu", "gab", "nous", "avons", "est", "ce", "qui", "il", "y", "eu", "dans", "ici",
        "projet", "se", "le", "la", "les", "un", "une", "en", "el", "lo", "los", "aquí", "hemos", "ha", "este",
        "proyecto", "e", "é", "os", "as", "no", "na", "aqui", "foi", "temos", "neste", "projeto", "abbiamo",
        "è", "si", "questo", "progetto", "er", "zijn", "hebben", "dit", "het", "de",
    }
)  # fmt: skip
# A whole question in Chinese, which has no spaces between words.
CHINESE = r"(?:我们|咱们|都|这里|这个项目)*(?:做|干|发生|决定|改|完成|讨论)了?(?:些|哪些)?(?:什么|啥|哪些)(?:事情?)?"
# Times in other languages, as English ones that `time_phrases` reads, each after words of which its matches hold one.
# French "hier" is yesterday only beside French words.
TIMES = (
    ("hier", r"\bhier\b(?=.*\b(?:fait|passé|décidé|changé)\b)|(?<=\bfait )hier\b", "yesterday"),
    ("ayer|ontem|ieri|gisteren|昨", r"\b(?:ayer|ontem|ieri|gisteren)\b|昨天|昨日", "yesterday"),
    ("aujourd|hoy|hoje|oggi|vandaag|今", r"\b(?:aujourd'hui|hoy|hoje|oggi|vandaag)\b|今天", "today"),
    (
        "semaine|semana|settimana|week|周|星期|礼拜|先週",
        r"\b(?:la )?semaine (?:dernière|passée)\b|\b(?:la |na )?semana (?:pasada|passada)\b"
        r"|\b(?:la )?settimana (?:scorsa|passata)\b|\b(?:vorige|afgelopen) week\b|上个?(?:周|星期|礼拜)|先週",
        "last week",
    ),
    (
        "semaine|semana|settimana|week|周|星期|今週",
        r"\bcette semaine\b|\bn?esta semana\b|\bquesta settimana\b|\bdeze week\b|这个?(?:周|星期)|本周|今週",
        "this week",
    ),
    (
        "mois|mes|mês|maand|月",
        r"\b(?:le )?mois (?:dernier|passé)\b|\b(?:el )?mes pasado\b|\b(?:no )?m[êe]s passado\b"
        r"|\b(?:il )?mese (?:scorso|passato)\b|\b(?:vorige|afgelopen) maand\b|上个?月|先月",
        "last month",
    ),
    ("weekend|wochenende", r"\b(?:over|at) the weekend\b|\b(?:am|übers) wochenende\b", "last weekend"),
    (
        "recent|lately|other day|kürzlich|neulich|letzter zeit|récemment|recien|últimamente|onlangs|最近",
        r"\b(?:recently|lately|the other day|kürzlich|neulich|in letzter zeit|récemment|recientemente|últimamente"
        r"|recentemente|di recente|onlangs)\b|最近",
        "in the past two weeks",
    ),
)
# A weekday that is past: "on Monday", "seit Freitag".
WEEKDAY = (
    r"\b(?:on|am|since|seit|vom) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\w+tag\b|mittwoch\b|sonnabend\b)"
)
