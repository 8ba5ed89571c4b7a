"""How people ask where the work was left and what is open: the words, for `continuity_phrases`.

A pattern describes a whole question in small letters, without greeting, place, topic and question mark. Each stands
with words of which its matches hold one.
"""

_WE = r"(?:we|i|you|you and i)"
_LAST = r"(?:last|latest|most recent|previous|recent)"
_SESSION = r"(?:session|conversation|chat|time|work|day)"
_THINGS = r"(?:items?|tasks?|to-?dos?|points?|questions?|steps?|work|things?|stuff|ends|threads|topics|actions?)"
_OPEN = (
    r"(?:open|left|pending|outstanding|unfinished|remaining|undone|unresolved|incomplete|to be done|to do|todo|due"
    r"|next(?: up)?|on (?:the|my|our) (?:list|to-?do list|plate|agenda))"
)
_TO_DO = r"(?: to (?:do|be done|finish|fix|decide|sort out|complete|resolve|tackle)| over| open| undone| unfinished)*"

GREETINGS = (
    r"hi|hey|hello|hiya|yo|howdy|(?:good )?(?:morning|afternoon|evening|day)|welcome back|i'?m back|back again"
    r"|hallo|moin(?: moin)?|servus|grüezi|guten (?:morgen|tag|abend)|bom dia|boa (?:tarde|noite)|ol[áa]|oi|hola"
    r"|buen(?:os|as) (?:d[ií]as|tardes|noches)|bonjour|bonsoir|salut|coucou|ciao|buon ?giorno|buona ?sera|salve"
    r"|goede ?(?:morgen|middag|avond|dag)|hoi|hej|cześć|dzień dobry|早上好|早安|你好|您好"
    r"|おはよう(?:ございます)?|こんにちは"
)
ADDRESSED = r"(?: (?:there|all|again|everyone|team|claude|codex|gemini|assistant))?"
INTRODUCTIONS = (
    r"so|and|ok(?:ay)?|alright|all right|right|well|now|first|hm+|um+|please|just|quick(?:ly)?|quick question"
    r"|(?:can|could|would|will) you|remind me|tell me|show me|let me know|do you (?:remember|know|recall)|i forgot"
    r"|i (?:don't|do not|can't|cannot) remember|let's see|new day|back to work|bitte|also|nun|gut|sag mal"
    r"|erinner\w* mich|weißt du(?: noch)?|kannst du mir sagen|alors|bon|dis-moi|rappelle-moi|entonces|bueno|dime"
    r"|recu[ée]rdame|ent[ãa]o|bem|diz-me|me diga|lembra-me|me lembra|allora|dunque|dimmi|ricordami|dus|nou"
)
# The first words of greetings and introductions: a message that begins with none of them needs no pattern.
OPENING_WORDS = frozenset(
    {
        "hi", "hey", "hello", "hiya", "yo", "howdy", "good", "morning", "afternoon", "evening", "day", "welcome", "i",
        "im", "i'm", "back", "hallo", "moin", "servus", "grüezi", "guten", "bom", "boa", "olá", "ola", "oi", "hola",
        "buenos", "buenas", "bonjour", "bonsoir", "salut", "coucou", "ciao", "buon", "buongiorno", "buona",
        "buonasera", "salve", "goede", "goedemorgen", "goedemiddag", "goedenavond", "hoi", "hej", "cześć", "dzień",
        "so", "and",
        "ok", "okay", "alright", "all", "right", "well", "now", "first", "please", "just", "quick", "quickly", "can",
        "could", "would", "will", "remind", "tell", "show", "let", "do", "let's", "new", "bitte", "also",
        "nun", "gut", "sag",
        "erinnere", "weißt", "kannst", "alors", "bon", "dis-moi", "rappelle-moi", "entonces", "bueno", "dime",
        "recuérdame", "recuerdame", "então", "entao", "bem", "diz-me", "me", "lembra-me", "allora", "dunque", "dimmi",
        "ricordami", "dus", "nou", "hm", "hmm", "um",
    }
)  # fmt: skip
# Words at the end that limit nothing: this project is meant anyway.
HERE = (
    r"(?:in )?here|at the moment|(?:right )?now|again|exactly|actually|then|please|btw|so far|together|overall"
    r"|already"
    r"|(?:last|this) time|last session|(?:in|on|with|for|of) (?:this|the|our|my) (?:project|repo(?:sitory)?"
    r"|code ?base)"
    r"|from (?:last time|before)|hier|jetzt|gerade|eigentlich|noch ?mal|denn|bitte|(?:in|an"
    r"|bei) diesem (?:projekt|repo)"
    r"|(?:bei[mn] )?letzten? mal|letztes mal|ici|maintenant|la derni[èe]re fois|dans ce projet|aqu[ií]|ahora"
    r"|la [úu]ltima vez|en este proyecto|agora|da [úu]ltima vez|neste projeto|qui|adesso|l'ultima volta"
    r"|in questo progetto|nu|in dit project"
)
# Words that lead to a limit: a topic, or a time before which something is to be done.
UNTIL = (
    r"before|by|until|till|for|vor|bis(?: zu[mr]?)?|für|avant|pour|antes d\w+|para|hasta|at[ée]|prima d\w+|per"
    r"|voor|tot"
)
ABOUT = r"on|with|for|in|about|regarding|bei|beim|mit|für|zu[mr]?|an|am|im|sur|avec|en|con|com|no|na|su|met|voor"

WHERE_WE_WERE = (
    (
        "where|point",
        rf"(?:where|at (?:what|which) point)(?: exactly)? (?:were|was|are|did|do|had|have|am) {_WE}"
        r"(?: (?:leave|left|stop(?:ped)?|end(?:ed)?|get|got(?:ten)?|stand(?:ing)?|finish(?:ed)?|been|heading))?"
        r"(?: (?:off|at|up|to|with|stuck|it|this|that|things?|yesterday|last night|this morning))*",
    ),
    (
        "where",
        r"(?:(?:let'?s|let us|can we|could we|shall we|we can|i want to|i'd like to) )?"
        r"(?:continue|pick(?: it| this| things)? up|resume|carry on|go on|proceed|keep going|start(?: again)?)"
        rf"(?: again)?(?: from| with| at)?(?: exactly)? where {_WE} (?:left|stopped|were|was|ended|finished"
        r"|had (?:left|stopped))(?: it| things| off| up| at| yesterday| last night)*",
    ),
    (
        "where|what",
        rf"(?:where|what) {_WE} (?:left|stopped|were|was|ended|did)(?: it| off| up| at| last| doing| working on)*",
    ),
    (
        "doing|working|up to|middle|busy",
        rf"what(?: task| stuff)? (?:was|were|am|are|have|had) {_WE}(?: last| just| currently| been)*"
        r" (?:doing|working on|up to|busy with|in the middle of)(?: last| yesterday)?",
    ),
    (
        "last|latest|recent|previous",
        rf"what(?:'s|s| was| is| were)? (?:the |our |my )?(?:very )?{_LAST}"
        r" (?:things?|work|tasks?|steps?|stuff|changes?|sessions?|topics?|state|status|progress)(?: about)?"
        rf"(?: (?:that )?{_WE} (?:did|were doing|was doing|worked on|changed|finished|touched|made|talked about"
        rf"|discussed))?",
    ),
    (
        "last|recent|previous",
        rf"what (?:did|have|had) {_WE} (?:do|done|work(?:ed)? on|finish(?:ed)?|get done|discuss(?:ed)?"
        rf"|talk(?:ed)? about"
        rf"|changed?) (?:last|most recently|(?:in|during) (?:the|our|my) {_LAST} {_SESSION})",
    ),
    (
        "last",
        rf"what (?:did|have|had) {_WE} (?:last|most recently) (?:do|done|work(?:ed)? on|finish(?:ed)?|changed?"
        r"|talk(?:ed)? about|discuss(?:ed)?)",
    ),
    (
        "last time",
        rf"what (?:did|have|had) {_WE} (?:do|done|work(?:ed)? on|finish(?:ed)?|discuss(?:ed)?|decided?) last time",
    ),
    (
        "last|previous|latest",
        rf"what happened (?:last time|(?:in|during) (?:the|our|my) {_LAST} {_SESSION})",
    ),
    (
        "last|previous|latest",
        rf"(?:a )?(?:quick |short )?(?:summar\w+|recap|review)(?: of| from)? (?:the |our |my )?{_LAST} {_SESSION}",
    ),
    (
        "speed|date",
        r"(?:bring|get) me (?:back )?up to (?:speed|date)",
    ),
    (
        "catch|fill",
        r"(?:catch|fill) me (?:up|in)",
    ),
    (
        "recap",
        r"(?:(?:give|do) (?:me |us )?)?(?:a )?(?:quick |short |brief )?recap(?: where we (?:are|were|stand))?",
    ),
    (
        "status|state",
        r"what(?:'s|s| is| was) the (?:current |latest |last )?(?:status|state)"
        r"(?: of (?:things|play|affairs|the project|this project|our work))?",
    ),
    (
        "how far",
        rf"how far (?:did|have|had|were|are|along (?:are|were)) {_WE}(?: (?:get|got(?:ten)?|come|along))?",
    ),
    # German
    (
        "wo |stelle",
        r"(?:wo|an welcher stelle)(?: genau)? (?:waren|sind|war|bin|haben|hatten|standen|stehen|hörten) (?:wir|ich)"
        r"(?: (?:noch|gleich|zuletzt|gerade|eigentlich|denn|jetzt|hier|gestern|beim letzten mal|letztes mal"
        r"|noch ?mal))*"
        r"(?: (?:stehen ?geblieben|geblieben|dran|aufgehört|auf|angekommen))?",
    ),
    (
        "woran|wobei|was ",
        r"(?:woran|wobei|was) (?:haben|hatten|habe|hab|waren|war) (?:wir|ich)(?: (?:hier|denn|gerade|noch"
        r"|eigentlich))*"
        r" (?:zuletzt|das letzte mal|beim letzten mal|letztes mal|als letztes|in der letzten (?:sitzung|session))"
        r"(?: (?:gemacht|gearbeitet|getan|erledigt|besprochen|geändert|dran))?",
    ),
    (
        "woran|wobei",
        r"(?:woran|wobei) (?:haben|hatten|habe|waren|war|sind|arbeiten|arbeiteten) (?:wir|ich)"
        r"(?: (?:hier|gerade|noch|eigentlich))*(?: (?:gearbeitet|dran))?",
    ),
    (
        "stand",
        r"(?:was|wie) (?:ist|war) der (?:letzte |aktuelle )?stand(?: der dinge)?|(?:letzter|aktueller) stand",
    ),
    (
        "wo wir|wo ich",
        r"(?:(?:lass uns|wir) )?(?:machen? (?:wir )?)?(?:da |dort )?weiter(?:machen)?,? (?:da,? )?wo (?:wir"
        r"|ich)(?: gestern"
        r"| zuletzt| beim letzten mal)? (?:aufgehört|aufhörten|stehen ?geblieben|waren)(?: haben| hatten| sind"
        r"| waren)?",
    ),
    (
        "wie weit",
        r"wie weit (?:sind|waren|bin|war) (?:wir|ich)(?: (?:gekommen|schon))*",
    ),
    (
        "letzte",
        r"was (?:war|ist) (?:das letzte|unser letzter schritt|die letzte (?:sitzung|session|aufgabe))"
        r"(?:,? (?:was|das|woran) (?:wir|ich) (?:gemacht|getan|gearbeitet|geändert)(?: haben| habe)?)?",
    ),
    # French, Spanish, Portuguese, Italian, Dutch
    (
        "où|ou en",
        r"(?:on|nous) en (?:était|étions|est|sommes) où|o[ùu] (?:en (?:étions|sommes)[- ]nous|en est[- ]on"
        r"|(?:est-ce qu['e] ?)?(?:on|nous) (?:en )?(?:était|étions|est|sommes"
        r"|s'est arrêtés?|s'était arrêtés?)|nous (?:étions|sommes)[- ]nous (?:arrêtés|quittés)|s'est-on arrêtés?)",
    ),
    (
        "dernière",
        r"qu['e] ?(?:est-ce qu['e] ?)?(?:on a|nous avons|avons-nous"
        r"|a-t-on) fait(?: en dernier)?(?: la dernière fois)?",
    ),
    (
        "reprend|reprenons|continu",
        r"(?:on )?(?:reprend|reprenons|continue|continuons) (?:là )?où (?:on|nous) (?:s'était|s|en était|en étions"
        r"|nous étions)(?: arrêtés?)?",
    ),
    (
        "dónde|donde|qué|que",
        r"(?:por |en |a )?(?:d[óo]nde|qu[ée] punto|qu[ée]) (?:est[áa]bamos|lo dejamos|nos quedamos|[íi]bamos"
        r"|quedamos|estamos)",
    ),
    (
        "última|ultima|último|ultimo",
        r"(?:o )?qu[ée] (?:fue lo |foi a )?[úu]ltim[oa](?: cosa| coisa)? que (?:hicimos|fizemos)",
    ),
    (
        "última vez|ultima vez",
        r"(?:o )?qu[ée] (?:hicimos|fizemos) (?:la|da|na) [úu]ltima vez",
    ),
    (
        "onde|ponto",
        r"(?:em |por )?(?:onde|que ponto)(?: [ée] que)? (?:est[áa]vamos|par[áa]mos|fic[áa]mos|estamos|[íi]amos)",
    ),
    (
        "dove|che punto",
        r"(?:a |da )?(?:dove|che punto) (?:eravamo|siamo|ci eravamo|ci siamo)(?: (?:rimasti|arrivati|fermati))?",
    ),
    (
        "waar|hoe ver",
        r"(?:waar|hoe ver) (?:waren|zijn|was|ben) (?:we|wij|ik)(?: (?:ook alweer|gebleven|mee bezig|gekomen))*",
    ),
    # Chinese, Japanese
    (
        "哪",
        r"(?:我们|咱们|我)?(?:上次|之前|昨天)?(?:我们|咱们)?(?:进行|做|讲|说|聊|讨论|干|停|走)?(?:到"
        r"|在)了?哪(?:里|儿|一步)?(?:了|来着)?",
    ),
    (
        "上次",
        r"(?:我们|咱们)?上次(?:我们|咱们)?都?(?:做|干|讨论|完成)了?些?什么|(?:继续|接着)上次(?:的工作|的)?(?:继续)?",
    ),
    (
        "どこまで|前回",
        r"(?:前回|この前)?(?:は|の)?どこまで(?:やり|進み|でき|いき|行き)ました(?:っけ|か)?|前回の続き(?:から"
        r"|を)?(?:お願いします)?",
    ),
)
WHAT_IS_OPEN = (
    (
        "open|left|pending|outstanding|unfinish|remaining|undone|unresolved|incomplete|to do|todo|to be done|due"
        "|next|list|plate|agenda",
        rf"(?:what|which)(?:'s|s|'re)?(?: {_THINGS}| else| all)?(?: (?:is|are|was|were|do we have|have we"
        rf"|did we leave|have))?"
        rf"(?: (?:still|else|all|yet|currently|there))* {_OPEN}{_TO_DO}(?: (?:still|yet))?",
    ),
    (
        "missing",
        r"what(?:'s|s| is) (?:still missing|missing still)",
    ),
    (
        "block|holding|stopping",
        r"what(?:'s|s| is|'re| are)(?: still)? (?:blocking|holding up|stopping|the blockers?)"
        r"(?: us| it| this| me"
        r"| (?:the |our )?(?:rollout|release|launch|deploy(?:ment)?|merge|migration|project|work|team))?",
    ),
    (
        "remain",
        rf"what (?:still )?remains?{_TO_DO}",
    ),
    (
        "left|pending|outstanding|unfinish|remaining|undone|anything open|something open|any open|still open",
        r"(?:(?:is|are|was|were|do|did|have) (?:there|we|i)(?: (?:have|still|got|leave))* )?(?:any|some)(?:thing)?"
        rf"(?: (?:still|else|that's|that is|more))* (?:open|left|pending|outstanding|unfinished|remaining|undone)"
        rf"(?: {_THINGS})?{_TO_DO}",
    ),
    (
        "open|pending|outstanding|remaining|unfinished|next|loose|to-do|todo|to do",
        r"(?:(?:any|the|our|my|list|show|give me|what are|what were|what's|which|all|are there|do we have|of|me) )*"
        rf"(?:(?:still )?(?:open|pending|outstanding|remaining|unfinished|next|leftover|loose) {_THINGS}"
        r"(?: (?:are there|do we have|remain))?|to-?dos?(?: list)?"
        r"|to do list)",
    ),
    (
        "still|next|today|first|left|now|tomorrow",
        rf"what (?:do|should|must|can|shall|would) {_WE} (?=.*\b(?:still|next|today|first|left|now|tomorrow)\b)"
        r"(?:(?:still|also|now|have|need|want|to|next) )*(?:do|finish|tackle|fix|work on|get done|continue with"
        r"|start with"
        r"|begin with|need|have|complete)(?: (?:to do|next|now|today|first|still|left|tomorrow))*",
    ),
    (
        "need to|have to",
        rf"what (?:do|did) {_WE} (?:still )?(?:need|have) to (?:do|finish|get done)",
    ),
    (
        "n't|not",
        rf"what (?:have|had|did|didn't|haven't) {_WE} (?:not )?(?:yet )?(?:finish(?:ed)?|done?|complete[d]?"
        rf"|get done|get to"
        r"|gotten to)(?: yet| off)?",
    ),
    (
        "next",
        r"what(?:'s|s| is| comes| was| should come) (?:up )?next(?: at (?:the|my) \w+)?|next steps?",
    ),
    # German
    (
        "offen",
        r"(?:was|welche \w+) (?:ist|sind|war|waren|bleibt|steht|haben wir)(?: (?:hier|denn|jetzt|alles"
        r"|eigentlich|aktuell))*"
        r"(?: noch)?(?: hier| alles)* offen(?: geblieben)?|(?:(?:die|alle|noch|gibt es|haben wir|unsere|welche) )*"
        r"offene[nr]? (?:punkte|fragen|aufgaben|themen|sachen|todos?)|(?:ist |haben wir "
        r"|gibt es )?(?:hier )?noch (?:et)?was"
        r" offen(?:es)?",
    ),
    (
        "noch",
        r"was (?:fehlt|bleibt|steht|muss|müssen wir|ist|haben wir|muss ich|gibt es|liegt)(?: (?:hier|jetzt|denn"
        r"|alles|uns))*"
        r"(?: (?:bis|vor)(?: \w+){1,3}?)? noch(?: (?:hier|alles))*(?: (?:bis|vor)(?: \w+){1,3}?)?(?: (?:zu tun"
        r"|zu erledigen|an|übrig|machen|tun|erledigen"
        r"|fertig (?:machen|werden)|erledigt werden|gemacht werden|passieren))?",
    ),
    (
        "nächst|weiter",
        r"was (?:ist|sind|machen wir|kommt|steht)(?: als)?(?: (?:der|die|das"
        r"|unser))? nächste[snr]?(?: schritte?)?(?: an| dran)?"
        r"|(?:die )?nächsten? schritte|wie (?:geht es|geht's|machen wir)(?: jetzt)? weiter",
    ),
    # French, Spanish, Portuguese, Italian, Dutch
    (
        "reste",
        r"qu['e] ?(?:est-ce qu(?:i|'il) )?(?:il )?(?:nous )?reste(?:-t-il)?(?: encore)?(?: [àa] (?:faire|finir"
        r"|terminer))?",
    ),
    (
        "ouvert|suspens",
        r"qu['e] ?(?:est-ce qui )?(?:est |y a-t-il d')?(?:encore |toujours )?(?:ouvert|en suspens)",
    ),
    (
        "queda|qued|pendiente|falta",
        r"qu[ée] (?:nos |me )?(?:queda|quedó|quedo|falta|hay|est[áa]|cosas quedan|tenemos)(?: (?:todav[ií]a|a[úu]n))?"
        r"(?: (?:pendientes?|por hacer|por resolver|por terminar|hacer|que hacer))?",
    ),
    (
        "falta|aberto|pendente|por fazer",
        r"(?:o )?que (?:[ée] que )?(?:ainda )?(?:nos )?(?:falta|ficou|est[áa]|h[áa]|resta|temos)(?: ainda)?"
        r"(?: (?:em aberto|por fazer|pendente|por resolver|fazer|para fazer|a fazer))?|(?:pontos"
        r"|tarefas) (?:em aberto|pendentes)",
    ),
    (
        "resta|manca|rimane|aperto|sospeso|da fare",
        r"(?:che )?cosa (?:ci )?(?:resta|rimane|manca|c'è|è|abbiamo)(?: ancora)?(?: (?:da fare|aperto|di aperto"
        r"|in sospeso))?",
    ),
    (
        "nog",
        r"wat (?:staat|is|moet|moeten we|blijft|hebben we)(?: er)?(?: hier)? nog(?: (?:open|te doen|gebeuren"
        r"|doen|over))*",
    ),
    # Chinese, Japanese
    (
        "还",
        r"(?:我们|这里|这个项目|目前|现在)?还(?:有|剩|差)下?(?:哪些|什么|多少)(?:事情?|工作|任务|问题"
        r"|待办)?(?:没有?|未|要|需要)?(?:做完?|完成|解决|处理)?的?(?:事情?|任务)?",
    ),
    (
        "下一步|接下来|待办",
        r"(?:我们)?(?:下一步|接下来)(?:要|该|应该)?(?:做|干)?(?:是)?什么|(?:有哪些|列出)?待办(?:事项"
        r"|任务)(?:有哪些)?",
    ),
    (
        "残",
        r"(?:まだ)?(?:何|なに)が残って(?:います|いる)か?|残り(?:の)?(?:タスク|作業)(?:は何ですか)?",
    ),
)
