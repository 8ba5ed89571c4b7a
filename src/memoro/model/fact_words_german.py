"""How people state facts of their life and work in German. The forms are tried in this order."""

from __future__ import annotations

from memoro.model.fact_forms import FactForm, form

_ADVERBS = (
    r"(?:(?:auch|ja|halt|eben|wirklich|eigentlich|gerade|schon|noch|sehr|total|besonders|generell|meistens|meist"
    r"|immer"
    r"|nur|jetzt|inzwischen|mittlerweile|seit \w+(?: \w+)?|selbst|übrigens|leider|beruflich|privat|ursprünglich"
    r"|lieber"
    r"|am liebsten|gern|gerne|nie|niemals|grundsätzlich|derzeit|aktuell|momentan|nicht|kein) )*"
)
_ICH = rf"ich {_ADVERBS}"
_KIN = (
    r"(?:mutter|vater|mama|papa|eltern|bruder|brüder|schwestern?|geschwister|sohn|söhne|tochter|töchter|kinder|kind"
    r"|baby"
    r"|zwillinge|frau|mann|ehefrau|ehemann|partner(?:in)?|freund(?:in)?|freunde|verlobter?|ex|oma|opa|groß\w+|tante"
    r"|onkel|cousine?|nichte|neffe|schwieger\w+|schwager|schwägerin|mitbewohner(?:in)?|nachbar(?:in|n)?|familie|chef"
    r"|chefin|kolleg(?:e|in|en)|hausarzt|hausärztin|zahnarzt|zahnärztin|arzt|ärztin|therapeut(?:in)?"
    r"|vermieter(?:in)?"
    r"|trainer(?:in)?|lehrer(?:in)?|steuerberater(?:in)?|hund|hündin|hunde|katzen?|kater|pferd|kaninchen|haustiere?"
    r"|name|vorname|nachname|geburtstag|adresse|telefonnummer|handynummer|blutgruppe|auto|wohnung|beruf)"
)
_PASSING = (
    r"(?:code|tests?|build|frage|problem|fehler|idee|plan|vorschlag|meinung|skript|funktion|abfrage|terminal|ausgabe"
    r"|branch|änderung(?:en)?|commits?|text|entwurf|nachricht|mail|e-mail|kopf|tag|woche|wochenende|gefühl|eindruck"
    r"|versuch|ansatz|erachtens|gott|güte|bauch|ziel|wunsch|bitte|pr|prompt|antwort|letzte\w*|nächste\w*|erste\w*)"
)
_VERBS = (
    r"(?:ist|sind|war|waren|hat|haben|hatte|heißt|heißen|arbeitet|arbeiten|wohnt|wohnen|lebt|leben|mag|mögen|liebt"
    r"|hasst|spielt|spricht|läuft|laufen|geht|gehen|kommt|kommen|studiert|lernt|wird|werden|wurde|isst|trinkt|fährt"
    r"|braucht|brauchen|nutzt|nutzen|verwendet|kostet|liegt|liegen|beginnt|endet|hört|gehört|steht|macht|verträgt"
    r"|darf"
    r"|kann|muss|besteht|findet|findet statt|verlangt|unterstützt|speichert|schreibt|deployt|stammt|leidet|zieht"
    r"|zog)"
)
_NOT_KEPT = (
    r"(?:frage|fragen|idee|problem|probleme|fehler|moment|minute|gefühl|zweifel|vorschlag|bitte|bug|termin|lust"
    r"|angst"
    r"|ahnung|zeit|hunger|durst|kopfschmerzen|datei|skript|funktion|klasse|liste|tabelle|tests?|text|entwurf|plan"
    r"|grund|chance|ticket|aufgabe|variable|methode|spalte|abfrage|stress|glück|pech|spaß|recht|bock"
    r"|schwierigkeit\w*"
    r"|verständnis|vor|mich|mir|das|es|dir|den|die|gerade|heute|schon|noch|bisher|eben|gestern|mal)"
)
_ROLE = (
    r"(?:\w+(?:er|erin|in|ist|istin|ent|entin|or|orin|eur|eurin|ant|antin|arzt|ärztin|mann|frau|oge|ogin|chef|leiter"
    r"|leiterin|mutter|vater|kind|student|azubi|rentner|beamter|beamtin|angestellter?|selbstständig|freiberuflich))"
)
_STATES = (
    r"(?:verheiratet|ledig|single|geschieden|verlobt|verwitwet|schwanger|rentner(?:in)?|arbeitslos|selbstständig"
    r"|freiberuflich|linkshänder(?:in)?|rechtshänder(?:in)?|farbenblind|blind|taub|vegan|veganer(?:in)?|vegetarisch"
    r"|vegetarier(?:in)?|allergisch|laktoseintolerant|diabetiker(?:in)?|legastheniker(?:in)?|zweisprachig"
    r"|berufstätig"
    r"|alleinerziehend|katholisch|evangelisch|muslim(?:in)?|atheist(?:in)?|deutsche[rn]?|österreicher(?:in)?"
    r"|schweizer(?:in)?|schwerhörig|kurzsichtig|glutenunverträglich)"
)
_MONTHS = r"(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
_WEEKDAYS = r"(?:montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonnabends?|sonntags?)"
_DAY = (
    rf"(?:\b(?:am|bis|ab|jeden|nächsten|diesen|zum|vom|kommenden|immer|seit) (?:\w+ )?{_WEEKDAYS}\b"
    rf"|\b{_WEEKDAYS}\b um"
    rf"|\b\d{{1,2}}\. ?(?:{_MONTHS}|\d{{1,2}}\.)|\bim {_MONTHS}\b|\bum \d{{1,2}}(?::\d\d)?(?: uhr)\b"
    rf"|\bum \d{{1,2}}:\d\d"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b)"
)
_EVENTS = (
    r"(?:geburtstag|hochzeitstag|hochzeit|termin|zahnarzttermin|arzttermin|\w*termin|besprechung|meeting|gespräch"
    r"|\w*gespräch|frist|abgabe|deadline|flug|prüfung|klausur|operation|op|reise|urlaub|feier|party|konzert"
    r"|konferenz"
    r"|release|launch|demo|review|standup|retro|sprint|umzug|abschluss|einschulung|kurs|besuch|mietvertrag|vertrag"
    r"|versicherung|reisepass|pass|miete|präsentation|kick-?off|marathon|verhandlung|impfung)"
)

FORMS: tuple[FactForm, ...] = (
    form("person", 0.95, "mein ich nenn nennt", r"(?:mein (?:\w+)?name ist|ich heiße|(?:alle )?nennt? mich) \w"),
    form(
        "date",
        0.9,
        "mein meine unser unsere der die das",
        rf"(?:meine?|unsere?|der|die|das) (?:[\w-]+ ){{0,3}}?{_EVENTS}\b.*{_DAY}",
    ),
    form(
        "date",
        0.8,
        "am im vom ab",
        rf"(?:am|im|vom|ab) .{{0,12}}?(?:{_WEEKDAYS}|{_MONTHS}|\d{{1,2}}\.).{{0,30}}? (?:habe|haben|fliege|fliegen"
        rf"|ist|sind|heirate"
        r"|heiraten|ziehe|ziehen|beginnt|endet|findet|fahre|fahren|werde|hat|wird|fängt|fange)\b",
    ),
    form(
        "date",
        0.8,
        "ich wir",
        rf"(?:ich|wir) (?:habe|haben|fliege|fliegen|fahre|fahren|ziehe|ziehen|heirate|heiraten|fange|fangen|reise"
        rf"|reisen)\b.*{_DAY}",
    ),
    form("date", 0.85, "ich", r"ich (?:bin|wurde) .*\bgeboren\b"),
    form("preference", 0.9, "mein meine", r"meine? lieblings[\w-]+ (?:ist|sind|heißt|war)\b"),
    form(
        "preference",
        0.85,
        "ich",
        rf"{_ICH}(?:mag|liebe|hasse|bevorzuge|verabscheue|esse|trinke|rauche|vertrage) (?!es\b|das\b|dich|ihn|dies"
        rf"|wie|was|sie\b)\w",
    ),
    form(
        "preference",
        0.8,
        "ich",
        r"ich (?:bin (?:\w+ )?fan von|stehe (?:total )?auf|interessiere mich|habe (?:panische )?angst vor"
        r"|bin allergisch|reagiere allergisch|kann .{2,40} nicht (?:leiden|ausstehen|ab))\b",
    ),
    form(
        "preference",
        0.8,
        "ich mir am",
        r"ich [\w ]{2,30} (?:lieber|am liebsten|gerne?|ungern)\b|mir ist [\w ]{2,30} (?:lieber|wichtig)"
        r"|am liebsten (?!würde|hätte|wäre)\w+ ich\b",
    ),
    form("person", 0.85, "ich", r"ich bin (?:\w+ )?\d{1,2}(?: jahre alt)?(?:\W*$|,| und | jahre)"),
    form("person", 0.85, "ich", rf"{_ICH}bin {_ADVERBS}(?:gebürtig \w+ )?(?:aus|{_STATES}\b)"),
    form(
        "person",
        0.8,
        "ich",
        rf"ich bin {_ADVERBS}(?:(?:ein|eine|der|die|leitende[rn]?|gelernte[rn]?|freie[rn]?|angehende[rn]?"
        rf"|stellvertretende[rn]?) ){{0,2}}(?!hier|immer|wieder|unsicher|sicher|leider|weiter|hinter|in\b|drin"
        rf"|dahin|darin){_ROLE}(?:\W*$|,? (?:und|bei|in|an|im|am|für|von|mit|aus)\b|,)",
    ),
    form(
        "person",
        0.8,
        "ich",
        rf"{_ICH}(?:wohne|lebe|komme (?:aus|ursprünglich)|stamme|arbeite {_ADVERBS}(?:bei|als|für|im|in|an der|am"
        rf"|beim|von zu)|studiere|unterrichte|leite"
        r"|besitze|spreche|spiele|sammle|fahre (?:ein|mit dem|jeden|täglich)|pendle|lerne (?!das|es)|trainiere"
        r"|singe|male|leide|nehme (?:täglich|morgens|abends)|gehe (?:jeden|immer|dreimal|zweimal|regelmäßig)"
        r"|betreue|pflege) (?!es\b|das\b)\w",
    ),
    form(
        "person",
        0.8,
        "seit",
        r"seit [\w .-]{2,30} (?:wohne|lebe|arbeite|bin|habe|nutze|spiele|lerne|verwende|wohnen|leben|nutzen|haben"
        r"|sind|verwenden) (?:ich|wir)\b",
    ),
    form(
        "person",
        0.8,
        "ich wir",
        rf"(?:ich|wir) (?:habe|haben) {_ADVERBS}(?:einen?|ein|eine|zwei|drei|vier|fünf|sechs|keinen?|keine|mehrere"
        rf"|\d+) (?!(?:[\w-]+ ){{0,1}}?{_NOT_KEPT}\b)(?:[\w-]+ )?[\w-]{{3,}}(?!.*\b(?:ge\w+t|ge\w+en|\w+iert)\W*$)",
    ),
    form("person", 0.75, "ich", r"ich (?:nutze|benutze|verwende) (?!es\b|das\b|dies|den folgenden|die folgende)\w"),
    form(
        "person",
        0.9,
        "mein meine unser unsere",
        rf"(?:meine?|unsere?) (?:[\w-]+ ){{0,2}}?{_KIN}(?:,? [\w.,-]+){{0,5}}? ?{_VERBS}\b",
    ),
    form(
        "person",
        0.85,
        "",
        r"(?!es|das|dies|er|sie|hier|wer|was|dort|wo|wie|da)[\w-]+(?: [\w-]+)? ist (?:meine?|unsere?) (?!lieblings"
        r"|frage|problem|erste|letzte|nächste|vorschlag|ziel|meinung)(?:[\w-]+ ){0,3}[\w-]+",
    ),
    form(
        "decision",
        0.9,
        "wir ich",
        r"(?:wir|ich) habe?n? (?:uns |mich )?(?:jetzt |nun |gestern |heute |endlich )?.*\b(?:entschieden"
        r"|beschlossen|vereinbart|festgelegt|geeinigt)\b",
    ),
    form(
        "decision",
        0.9,
        "entscheidung beschluss beschlossen entschieden",
        r"(?:die )?(?:entscheidung|beschluss|beschlossen|entschieden)(?: ist)?[: ]",
    ),
    form(
        "decision",
        0.75,
        "wir nehmen",
        r"(?:wir (?:nehmen|bleiben (?:bei|auf)|steigen|wechseln|stellen|verzichten|streichen|setzen auf)|nehmen wir"
        r"|bleiben wir bei) (?!es\b|das\W*$|die erste|den ersten|beide|mal\b)\w",
    ),
    form(
        "fact",
        0.8,
        "wir",
        r"wir (?:nutzen|benutzen|verwenden|hosten|deployen|wohnen|leben|arbeiten|betreiben|unterstützen|entwickeln"
        r"|treffen uns|zahlen|speichern|releasen|liefern|schreiben (?:alles|alle|unsere)) (?!es\b|das\b)\w",
    ),
    form("fact", 0.8, "unser unsere", rf"unsere? (?!{_PASSING}\b)(?:[\w/.-]+ ){{1,4}}?{_VERBS}\b"),
    form("fact", 0.75, "mein meine", rf"meine? (?!{_PASSING}\b)(?:[\w/.-]+ ){{1,3}}?{_VERBS} "),
    form(
        "fact",
        0.75,
        "der die das",
        r"(?:der|die|das) (?:[\w/.-]+ ){0,2}?(?:api|server|dienst|datenbank|staging|produktion|repo|app|port"
        r"|endpunkt|cluster|backups?|pipeline|konfiguration|backend|frontend"
        r"|queue|cache|bucket|domain|doku|wiki|team|büro|projekt|kunde|firma|budget|plugin|website|webseite|shop"
        r"|vpn|nas|router|drucker|dashboard|gateway|job|jobs|migrationen|lizenz|monorepo|schlüssel|miete|heizung"
        r"|schule|kita)"
        r" (?:[\w/.-]+ ){0,2}?(?:läuft|laufen|liegt|liegen|lauscht|hört|nutzt|nutzen|verwendet|braucht|benötigt"
        r"|kostet|heißt|gehört|beginnt|endet|steht|ist|sind|speichert|unterstützt|schließt|öffnet)\b.*(?:\d|`"
        r"|[a-z]\.[a-z]|/)",
    ),
)
