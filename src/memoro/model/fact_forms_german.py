"""How people state facts of their life and work in German. The forms are tried in this order."""

from __future__ import annotations

from memoro.model.fact_forms import FactForm, any_of, form

_ADVERB = any_of(
    r"""
    auch ja halt eben wirklich eigentlich gerade schon noch sehr total besonders generell meistens meist immer nur
    jetzt inzwischen mittlerweile seit_\w+(?:_\w+)? selbst übrigens leider beruflich privat ursprünglich lieber
    am_liebsten gerne? nie niemals grundsätzlich derzeit aktuell momentan nicht kein
    """
)
_ADVERBS = rf"(?:{_ADVERB} )*"
_ICH = rf"ich {_ADVERBS}"
_WORD = r"[\w-]+"
_NAME = r"[\w/.-]+"
_KIN = any_of(
    r"""
    mutter vater mama papa eltern bruder brüder schwestern? geschwister sohn söhne tochter töchter kinder kind baby
    zwillinge frau mann ehefrau ehemann partner(?:in)? freund(?:in)? freunde verlobter? ex oma opa groß\w+ tante
    onkel cousine? nichte neffe schwieger\w+ schwager schwägerin mitbewohner(?:in)? nachbar(?:in|n)? familie chef
    chefin kolleg(?:e|in|en) hausarzt hausärztin zahnarzt zahnärztin arzt ärztin therapeut(?:in)? vermieter(?:in)?
    trainer(?:in)? lehrer(?:in)? steuerberater(?:in)? hund hündin hunde katzen? kater pferd kaninchen haustiere?
    name vorname nachname adresse telefonnummer handynummer blutgruppe beruf
    """
)
_PASSING = any_of(
    r"""
    code tests? build frage problem fehler idee plan vorschlag meinung skript funktion abfrage terminal ausgabe
    branch änderung(?:en)? commits? text entwurf nachricht mail e-mail kopf tag woche wochenende gefühl eindruck
    versuch ansatz erachtens gott güte bauch ziel wunsch bitte pr prompt antwort letzte\w* nächste\w* erste\w*
    rechner seite
    """
)
_VERBS = any_of(
    """
    ist sind war waren hat haben hatte heißt heißen arbeitet arbeiten wohnt wohnen lebt leben mag mögen liebt hasst
    spielt spricht läuft laufen geht gehen kommt kommen studiert lernt wird werden wurde isst trinkt fährt braucht
    brauchen nutzt nutzen verwendet kostet liegt liegen beginnt endet hört gehört steht macht verträgt darf kann
    muss besteht findet verlangt unterstützt speichert schreibt deployt stammt leidet zieht zog sammelt
    """
)
# What follows such a verb in an opinion, or in a report of the moment.
_OPINION = any_of(
    r"""
    kaputt langsam weg leer voll nicht_mehr nicht\W*$ gut schlecht toll super schön fertig rot grün da hier so sehr
    zu_\w+ wieder gerade heute gestern noch schon eben jetzt krank müde im_moment aus an ab echt ziemlich total
    einfach egal klar wichtig okay ok falsch richtig gesagt das es
    """
)
_NOT_KEPT = any_of(
    r"""
    fragen? ideen? probleme? fehler moment minuten? gefühl zweifel vorschlag bitte bugs? termin lust angst ahnung
    zeit hunger durst kopfschmerzen dateien? skripte? funktion(?:en)? klassen? listen? tabellen? tests? texte?
    entwurf plan grund chance tickets? aufgaben? variablen? methoden? spalten? abfragen? stress glück pech spaß
    recht bock schwierigkeit\w* verständnis vor mich mir das es dir den die gerade heute schon noch bisher eben
    gestern mal objekte? komponenten? zeilen? branches? commits? fehlermeldung\w*
    """
)
_ROLE = any_of(
    r"\w+(?:er|erin|in|ist|istin|ent|entin|or|orin|eur|eurin|ant|antin|arzt|ärztin|mann|frau|oge|ogin|chef|leiter"
    r"|mutter|vater)"
    r" azubi beamter angestellter?"
)
_STATES = any_of(
    """
    verheiratet ledig single geschieden verlobt verwitwet schwanger rentner(?:in)? arbeitslos selbstständig
    freiberuflich linkshänder(?:in)? rechtshänder(?:in)? farbenblind blind taub vegan veganer(?:in)? vegetarisch
    vegetarier(?:in)? allergisch laktoseintolerant diabetiker(?:in)? legastheniker(?:in)? zweisprachig berufstätig
    alleinerziehend katholisch evangelisch muslim(?:in)? atheist(?:in)? deutsche[rn]? österreicher(?:in)?
    schweizer(?:in)? schwerhörig kurzsichtig glutenunverträglich
    """
)
_MONTHS = any_of("januar jänner februar märz april mai juni juli august september oktober november dezember")
_WEEKDAYS = any_of("montags? dienstags? mittwochs? donnerstags? freitags? samstags? sonnabends? sonntags?")
_DAY = (
    rf"(?:\b(?:am|bis|ab|jeden|nächsten|diesen|zum|vom|kommenden|immer|seit) (?:\w+ )?{_WEEKDAYS}\b"
    rf"|\b{_WEEKDAYS} um\b"
    rf"|\b\d{{1,2}}\. ?(?:{_MONTHS}|\d{{1,2}}\.)|\bim {_MONTHS}\b|\b(?:19|20)\d\d-\d\d-\d\d\b)"
)
_EVENTS = any_of(
    r"""
    geburtstag hochzeitstag hochzeit \w*termin besprechung meeting \w*gespräch frist abgabe deadline flug prüfung
    klausur operation op reise urlaub feier party konzert konferenz release launch demo review standup retro sprint
    umzug abschluss einschulung kurs besuch mietvertrag vertrag versicherung reisepass pass miete präsentation
    kick-?off marathon verhandlung impfung oma opa
    """
)
_SUBJECTS = any_of(
    """
    api server dienst datenbank staging produktion repo app port endpunkt cluster backups? pipeline konfiguration
    backend frontend queue cache bucket domain doku wiki team büro projekt kunde firma budget plugin website
    webseite shop vpn nas router drucker dashboard gateway jobs? migrationen lizenz monorepo schlüssel miete heizung
    schule kita
    """
)
_SET_UP = any_of(
    """
    läuft laufen liegt liegen lauscht hört nutzt nutzen verwendet braucht benötigt kostet heißt gehört beginnt endet
    steht ist sind speichert unterstützt schließt öffnet
    """
)
_LIFE = any_of(
    r"""
    wohne lebe komme_(?:aus|ursprünglich) stamme
    arbeite_(?:seit_\w+_|\w+_)?(?:bei|als|für|im|in|an_der|am|beim|von_zu) studiere unterrichte leite besitze
    spreche spiele_(?!mit_dem_gedanken) sammle fahre_(?:ein|mit_dem|jeden|täglich) pendle
    lerne_(?!das|es|gerade|viel) trainiere singe male leide nehme_(?:täglich|morgens|abends)
    gehe_(?:jeden|immer|dreimal|zweimal|regelmäßig) betreue pflege
    """
)

FORMS: tuple[FactForm, ...] = (
    form(
        "person",
        0.95,
        "mein ich nenn nennt alle",
        r"(?:mein (?:\w+)?name ist|ich heiße|(?:alle )?(?:nenn|nennen) mich) \w",
    ),
    form(
        "date",
        0.9,
        "mein meine unser unsere der die das",
        rf"(?:meine?|unsere?|der|die|das) (?:{_WORD} ){{0,3}}?{_EVENTS}\b.*{_DAY}",
    ),
    form(
        "date",
        0.8,
        "am im vom ab",
        rf"(?:am|im|vom|ab) .{{0,12}}?(?:{_WEEKDAYS}|{_MONTHS}|\d{{1,2}}\.).{{0,30}}? (?:habe|haben|fliege|fliegen"
        rf"|ist|sind"
        r"|heirate[nt]?|ziehe|ziehen|beginnt|endet|findet|fahre|fahren|werde|wird|fängt|fange)\b",
    ),
    form(
        "date",
        0.8,
        "ich wir",
        r"(?:ich|wir) (?:habe|haben|fliege|fliegen|fahre|fahren|ziehe|ziehen|heirate|heiraten|fange|fangen|reise"
        r"|reisen)\b",
        rf".*{_DAY}",
    ),
    form("date", 0.85, "ich", r"ich (?:bin|wurde) .*\bgeboren\b"),
    form("preference", 0.9, "mein meine", r"meine? lieblings[\w-]+ (?:ist|sind|heißt|war)\b"),
    form(
        "preference",
        0.85,
        "ich",
        rf"{_ICH}(?:mag|liebe|hasse|bevorzuge|verabscheue|esse|trinke|rauche|vertrage) ",
        r"(?!es\b|das\b|dich|ihn|dies|wie|was|sie\b|die (?:idee|variante|lösung|version)|den (?:ansatz"
        r"|vorschlag))\w",
    ),
    form(
        "preference",
        0.8,
        "ich",
        r"ich (?:bin (?:\w+ )?fan von|stehe (?:total )?auf|interessiere mich|habe (?:panische )?angst vor"
        r"|bin allergisch"
        r"|reagiere allergisch|kann .{2,40} nicht (?:leiden|ausstehen|ab))\b",
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
        rf"ich bin {_ADVERBS}(?:(?:ein|eine|der|die|leitende[rn]?|gelernte[rn]?|freie[rn]?|angehende[rn]?) ){{0,2}}",
        rf"(?!hier|immer|wieder|unsicher|sicher|leider|weiter|hinter|in\b|drin|dahin|darin|meiner?\b){_ROLE}",
        r"(?:\W*$|,? (?:und|bei|in|an|im|am|für|von|mit|aus)\b|,)",
    ),
    form("person", 0.8, "ich", rf"{_ICH}{_LIFE} ?(?!es\b|das\b|nicht\b)\w"),
    form(
        "person",
        0.8,
        "seit",
        r"seit [\w .-]{2,30} (?:wohne|lebe|arbeite|bin|habe|nutze|spiele|lerne|verwende|wohnen|leben|nutzen|haben"
        r"|sind"
        r"|verwenden) (?:ich|wir)\b",
    ),
    form(
        "person",
        0.8,
        "ich wir",
        rf"(?:ich|wir) (?:habe|haben) {_ADVERBS}(?:einen?|ein|eine|zwei|drei|vier|fünf|sechs|keinen?|keine|mehrere"
        rf"|\d+) ",
        rf"(?!(?:{_WORD} )?{_NOT_KEPT}\b)(?:{_WORD} )?[\w-]{{3,}}(?!.*\b(?:ge\w+t|ge\w+en|\w+iert)\W*$)",
    ),
    form("person", 0.75, "ich", r"ich (?:nutze|benutze|verwende) (?!es\b|das\b|dies|den\b|die\b|hier)\w"),
    form(
        "person",
        0.9,
        "mein meine unser unsere",
        rf"(?:meine?|unsere?) (?:{_WORD} ){{0,2}}?{_KIN}(?:,? [\w.-]+){{0,5}}?,? {_VERBS} (?!{_OPINION}\b)",
    ),
    form(
        "person",
        0.85,
        "",
        rf"(?!es|das|dies|er|sie|hier|wer|was|dort|wo|wie|da){_WORD}(?: {_WORD})? ist (?:meine?"
        rf"|unsere?) (?!lieblings|frage"
        rf"|problem|erste|letzte|nächste|vorschlag|ziel|meinung)(?:{_WORD} ){{0,3}}{_WORD}",
    ),
    form(
        "decision",
        0.9,
        "wir ich",
        r"(?:wir|ich) habe?n? (?:uns |mich )?(?:jetzt |nun |endlich )?.*\b(?:entschieden|beschlossen|vereinbart"
        r"|festgelegt"
        r"|geeinigt)\b",
    ),
    form(
        "decision",
        0.9,
        "entscheidung beschluss beschlossen entschieden die",
        r"(?:die )?(?:entscheidung|beschluss|beschlossen|entschieden)(?: ist(?: gefallen)?)?:? ",
    ),
    form(
        "decision",
        0.75,
        "wir nehmen bleiben",
        r"(?:wir (?:nehmen|bleiben (?:bei|auf)|steigen|wechseln|stellen|verzichten|streichen|setzen auf)|nehmen wir"
        r"|bleiben wir bei) (?!es\b|das\W*$|die erste|den ersten|die zweite|beide|mal\b)\w",
    ),
    form(
        "fact",
        0.8,
        "wir",
        r"wir (?:nutzen|benutzen|verwenden|hosten|deployen|wohnen|leben|arbeiten|betreiben|unterstützen|entwickeln"
        r"|treffen uns"
        r"|zahlen|speichern|releasen|liefern|schreiben (?:alles|alle|unsere)) (?!es\b|das\b|nicht mehr\b)\w",
    ),
    form(
        "fact",
        0.8,
        "unser unsere",
        rf"unsere? (?!{_PASSING}\b)(?:{_NAME} ){{1,4}}?{_VERBS} (?!{_OPINION}(?:\b|(?<=\W)))\S",
    ),
    form(
        "fact", 0.75, "mein meine", rf"meine? (?!{_PASSING}\b)(?:{_NAME} ){{1,3}}?{_VERBS} (?!{_OPINION}(?:\b|$))\S"
    ),
    form(
        "fact",
        0.75,
        "der die das",
        rf"(?:der|die|das) (?:{_NAME} ){{0,2}}?{_SUBJECTS} (?:{_NAME} ){{0,2}}?{_SET_UP}\b.*(?:\d|`|[a-z]\.[a-z]|/)",
    ),
    form(
        "fact",
        0.8,
        "das der die",
        r"(?:das|der|die) (?:projekt|firma|team|repo|dienst|verein) (?:heißt|nutzt|verwendet) \w",
    ),
)
