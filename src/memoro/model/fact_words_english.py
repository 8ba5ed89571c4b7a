"""How people state facts of their life and work in English. The forms are tried in this order."""

from __future__ import annotations

from memoro.model.fact_forms import FactForm, any_of, form

_ADVERB = any_of(
    """
    also really just actually absolutely personally generally usually always mostly mainly still currently now
    especially particularly totally only never often sometimes definitely do both all normally typically recently
    originally quite truly simply very_much kind_of sort_of already finally even too very pretty super so more_of
    well
    """
)
_ADVERBS = rf"(?:{_ADVERB} )*"
_I, _WE = rf"i {_ADVERBS}", rf"we {_ADVERBS}"
_AM = rf"i(?:'m| am) {_ADVERBS}"
_HAVE = rf"i(?:'ve| have) {_ADVERBS}"
_WORD = r"[\w'-]+"
_NAME = r"[\w'/.-]+"  # also of a service or a file

# People and animals that are somebody's own.
_KIN = any_of(
    r"""
    mother father mum mom mommy dad daddy parents? folks brothers? sisters? siblings? sons? daughters? kids? child
    children baby twins wife husband spouse partner girlfriend boyfriend fianc[eé]e? ex ex-\w+ grand\w+ nana aunt\w*
    uncles? cousins? nieces? nephews? step\w+ in-laws \w+-in-law friends? roommates? flatmates? neighbou?rs? family
    boss manager colleagues? coworkers? co-?founder teammates? therapist dentist doctor gp landlord landlady trainer
    coach teacher supervisor advisor professor accountant lawyer tutor nanny dogs? cats? puppy puppies kittens?
    pets? horses? hamsters? rabbits? parrots? fish turtle snake lizard youngest oldest eldest
    """
)
# What is said to be one's own for a moment, or in a manner of speaking.
_PASSING = any_of(
    r"""
    code tests? build question problem issue guess point bad mistake idea plan understanding apolog\w+ concerns?
    worry fault scripts? functions? query screen terminal output error pr branch changes? commits? cursor mind head
    god goodness gosh word pleasure honou?r bet hope only turn way last next first previous current expectation
    impression feeling thoughts? take advice suggestion request message prompt reply answer draft text essay email
    mail hands feet stomach mood day week weekend morning evening night attempt approach logic loop goals?
    priorit\w+ tasks? offer focus budget_for component page button machine linter ide compiler browser meeting dream
    heart hard_work
    """
)
_VERBS = any_of(
    """
    is are was were has have had works? worked lives? lived loves? likes? hates? prefers? plays? speaks? runs? owns?
    teaches taught studies studied goes go died passed got moved comes? came turned turns expires? needs? uses?
    starts? ends? wants? can't cannot doesn't don't isn't grew left makes? takes? collects? drives? drove served
    suffers enjoys? eats? drinks? sells? does do raised costs? weighs? belongs? retired used_to bought became
    """
)
# Verbs that tell how something is, not how it was.
_NOW = any_of(
    """
    is are has have works? lives? likes? prefers? runs? owns? goes comes expires? needs? uses? starts? ends? can't
    cannot doesn't don't isn't takes drives? eats? drinks? costs? weighs? belongs? stands? closes? opens? begins?
    falls? lies sits? arrives? departs? includes? consists? changes? happens?
    """
)
# What follows such a verb in an opinion, or in a report of the moment.
_OPINION = any_of(
    r"""
    so very pretty super really too just a_bit a_little quite all
    (?!living|studying|working_(?:as|at|for)|expecting|teaching|moving)\w{3,}ing like tough
    a_(?:tough|great|hard|good|rough|nice|lovely|huge|big|mess|nightmare|disaster|joke) been made become increased
    improved gotten grown given always there our amazing great good fine cute fun nice awesome lovely beautiful
    terrible awful bad worse better best hard important worn ready done wrong right ok okay the_(?:best|same)
    to_(?!\d) about that also not still finally back here down up out over full empty dead already old\W tight
    limited similar different clean dirty cold hot wet frozen gone late seen open
    """
)
_NO_ROLE = any_of(
    """
    bit little lot few mess idiot moron genius wreck while (?:big|huge)_fan fan fool tad touch bunch ton loss hurry
    rush bind weird second minute step good great nice bad_mood good_mood long_way mix sucker total
    """
)
# What people have for a moment, or have in their code.
_NOT_KEPT = any_of(
    r"""
    bunch ton total plate projects? meetings? solid savings pictures? pics? photos? stor(?:y|ies) events? questions?
    ideas? problems? issues? feeling minute moment second look doubts? suggestions? requests? favou?r bugs? errors?
    time chance clue hunch few lots? couple things? points? reason way choice preference concern tasks? tickets?
    typo fail\w* warnings? drafts? files? scripts? functions? class classes lists? tables? tests? snippets? logs?
    stack_?trace text paragraph nice great good really hard tough big_day busy long rough crush headache cold fever
    plans? weird strange similar methods? variables? strings? arrays? fields? columns? rows? quer(?:y|ies) regex
    exceptions? merge_conflict deadlines? calls? appointments? interviews? components? buttons? pages? objects?
    endpoints? csv json json_file dataframe dict dictionary loops? branch(?:es)? commits? access use_case scenario
    situation stuff parameters?
    """
)
# What is liked or disliked for the moment, because it was just spoken of: "I love the sea", but "I like the idea".
_NO_OBJECT = any_of(
    """
    that it its this these those them their his her him your you how what one both all_of hearing another some any
    option approach
    the_(?!beach|ocean|sea|outdoors|mountains?|water|snow|rain|sun|summer|winter|spring|autumn|fall|cold|heat|city|country|forest|woods|theat|opera|radio|beatles|gym|dark|piano|guitar|violin|smell_of)
    """
)
_COUNT = any_of(
    r"an? one two three four five six seven eight nine ten twelve \d+ no several many my_own both twin another some"
)
_NATIONS = any_of(
    """
    american british english irish scottish welsh german french spanish portuguese italian dutch belgian swiss
    austrian polish czech russian ukrainian turkish greek swedish norwegian danish finnish canadian mexican
    brazilian indian chinese japanese korean australian african asian european latina latino hispanic black catholic
    muslim jewish hindu buddhist christian atheist agnostic
    """
)
_STATES = any_of(
    r"""
    married single divorced engaged widowed pregnant retired unemployed self-employed employed left-handed
    right-handed ambidextrous colou?r_?-?blind blind deaf hard_of_hearing vegan vegetarian pescatarian diabetic
    asthmatic lactose gluten celiac coeliac dyslexic autistic bilingual trilingual fluent trans gay lesbian bisexual
    near-?sighted short-?sighted homeschooled adopted an_only_child disabled overweight sober tall short shy
    introverted extroverted religious
    the_(?:oldest|youngest|eldest|only|lead|head|owner|maintainer|founder|cto|ceo|manager|middle)
    """
)
_DOING = any_of(
    r"""
    studying learning_(?!an?_|how|so|that|more|about|the_ropes) training_(?:for|to)
    taking_(?:\w+_)?(?:classes|lessons|a_course) majoring teaching raising expecting
    writing_(?:a|my)_(?:book|novel|thesis|dissertation) working_(?:as|at|for|full|part)
    in_(?:my_\w+_year|high_school|college|grade|the_army|the_navy|a_band|a_wheelchair|the_\w+_grade|charge_of|school)
    in_(?:medical|law)_school on_(?:a_\w*\s?diet|medication|insulin|parental_leave|sabbatical|the_\w+_team)
    on_(?:ubuntu|debian|fedora|arch|windows|macos|linux|a_mac\w*|\w+_because_of) responsible_for
    (?:using|running)_(?!the|this|that|these|it|out|late|into|low|a_)
    """
)
_LIFE = any_of(
    r"""
    live lived reside grew_up come_from was_born was_raised
    moved_(?:to|from|in|here|out|back)_(?!the_(?!\w+lands|us|uk))
    work_(?:at|for|as|in|from|with|part|full|remote|night) worked_(?:at|for|as|in) teach_(?!myself|me|it|you|the)
    taught_(?!myself|me|it) study_(?!the|how|it|this) studied_(?!hard|the) own_(?!it|this|that)
    manage_(?:a|the_\w+_team|my) lead_(?:a|the) founded maintain_an? volunteer graduated retired
    speak_(?!from|for|to|of|as|with|up|about|the) play_(?!with|around|it|a_role|the_(?:video|file|sound))
    collect_(?!the|all|them) drive_(?:an?|to) ride_(?!the_wave|it|on) commute major(?:ed)?_in served_in adopted
    got_(?:married|divorced|engaged|promoted|laid_off|fired|a_(?:new_)?(?:job|dog|cat|puppy|kitten)(?!_bed))
    wear_(?!the|it) sing paint dance bake_(?!the|it) knit attend belong_to rent
    lost_my_(?!mind|way|keys|phone|temper) broke_my suffer_from
    run_(?:a_(?!test|query|script|command|check)|my_own|marathons|every|about) take_(?:insulin|lessons|\d+)
    go_(?:to_(?:the_gym|church|school|college)|hiking|running|fishing|camping|swimming)
    write_(?:books|novels|poetry|songs|for_an?) cook_(?!the|up|it) identify_as weigh stand_\d inherited
    """
)
_BEEN = any_of(
    r"""
    an? to_(?!the_docs) with_(?:my|the_same) married single playing_(?!around|with|catch) teaching living
    working_(?:as|at|for|in_(?!progress)) studying learning_(?!a_lot|how|so) vegan vegetarian diagnosed
    doing_\w+_for collecting riding dancing
    """
)
# Subjects of the work and the home, and verbs that tell how they are set up.
_SUBJECTS = any_of(
    """
    apis? servers? services? databases? db staging production prod repo repository app ports? cluster backups?
    deploys? deployments? ci pipeline schema frontend backend queue cache bucket domain docs documentation wiki team
    office project client customer company releases? standup plugin website site shop vpn nas router printer
    dashboard monitoring logs secrets gateway workers? jobs? migrations? tests test_suite linter formatter license
    monorepo codebase registry landlord wifi wi-fi network boiler car flat apartment house garden school daycare
    changelog
    """
)
_SET_UP = any_of(
    """
    listens?_on runs?_(?:on|in|at|every|under|behind) lives?_(?:in|at|on|under)
    (?:is|are)_(?:hosted|deployed|written_in|called|named|served|stored|kept|built_(?:on|with|in)|managed_by|owned_by)
    (?:is|are)_(?:maintained_by|located|based|backed_by|generated_(?:by|from)|licensed|pinned_to|capped_at|limited_to)
    uses? depends?_on goes_through go_through belongs?_to points?_to talks?_to supports? targets? deploys?_to
    stores? writes?_to reads?_from
    """
)
_VALUED = any_of(
    """
    (?:is|are)_(?:under|at|on|in|behind|version|due) needs? requires? expires? starts?_(?:at|on) takes?_place costs?
    happens? closes? opens?
    """
)
_MONTHS = any_of(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sept? oct nov dec
    """
)
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAY = (
    rf"(?:\b(?:on|by|until|from|since|next|every|this|due|for|the|second|third) (?:the )?{_WEEKDAYS}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b{_MONTHS}\.? \d{{1,2}}\b|\b\d{{1,2}} (?:of )?{_MONTHS}\b|\bin {_MONTHS}\b"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}\b)"
)
_EVENTS = any_of(
    """
    birthday anniversary appointment meeting interview deadline due_date wedding flight exam surgery operation trip
    vacation holiday party dinner concert conference release launch demo review standup retro sprint move graduation
    funeral recital check-?up lesson class course visit trial hearing lease contract insurance passport visa
    subscription license rent presentation kick-?off go-?live freeze onboarding defen[cs]e marathon race
    """
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
    form("date", 0.9, "my our the", rf"(?:my|our|the) (?:{_WORD} ){{0,4}}?{_EVENTS}s?(?: {_WORD}){{0,5}}? .*{_DAY}"),
    form(
        "date",
        0.8,
        "i we i've we've",
        rf"(?:i|we)(?:'ve| have|'ve got)? (?:a|an|my|our|the|two) (?:{_WORD} ){{0,4}}?{_EVENTS}s?\b.*{_DAY}",
    ),
    form(
        "date",
        0.8,
        "i we i'm we're",
        r"(?:i|we)(?:'m| am|'re| are)? (?:fly|flying|leave|leaving|arrive|arriving|travel|travelling|traveling|move",
        rf"|moving|getting married|start|starting) .*{_DAY}",
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
        rf"{_I}(?:like|love|enjoy|prefer|hate|dislike|adore|loathe|detest|can't stand|cannot stand|favou?r) ",
        rf"(?!{_NO_OBJECT}\b|when you|to (?:know|see|think|hear|ask|thank|say|help you)|talking to you)\w",
    ),
    form(
        "preference",
        0.85,
        "i",
        rf"{_I}(?:don't|do not) {_ADVERBS}(?:like|eat|drink|enjoy|smoke|wear|watch|care for|do well with)",
        rf" (?!{_NO_OBJECT}\b)\w",
    ),
    form("preference", 0.8, "i i'd", r"i(?:'d| would) (?:much |always )?rather (?!not\W*$|you)\w+ \w+"),
    form(
        "preference",
        0.8,
        "i'm i",
        rf"{_AM}(?:an? )?(?:big |huge |avid |not (?:an? )?(?:big |huge )?)?(?:fan of|lover of|into|passionate about",
        r"|obsessed with|fond of|keen on|crazy about|afraid of|scared of|terrified of|addicted to|allergic to"
        r"|good at",
        rf"|bad at|terrible at) (?!{_NO_OBJECT}\b|seeing)\w",
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
    form("person", 0.85, "i'm i", rf"{_AM}\d{{1,2}}(?: years? old| yrs?| yo)?(?:\W*$|,| and | years)"),
    form("person", 0.85, "i'm i", rf"{_AM}(?:from|based in|living (?:in|with|at|near)|located in|born in) \w"),
    form("person", 0.85, "i'm i", rf"{_AM}(?:not )?(?:{_STATES}|{_NATIONS})\b"),
    form("person", 0.8, "i'm i", rf"{_AM}an? (?!{_NO_ROLE}\b)[\w'-]{{3,}}"),
    form("person", 0.75, "i'm i", rf"{_AM}{_DOING}(?:\b|(?<= ))"),
    form("person", 0.8, "i", rf"{_I}{_LIFE}(?:\b|(?<= ))"),
    form("person", 0.8, "i've i", rf"{_HAVE}been {_BEEN}\b"),
    form(
        "person", 0.75, "i've", r"i've (?:lived|worked (?!on)|taught|owned|visited|played|studied|had \w+ \w+ for)\b"
    ),
    form(
        "person",
        0.8,
        "i've i",
        rf"(?:i've got|i have|i've) {_ADVERBS}{_COUNT} (?!(?:{_WORD} ){{0,2}}?{_NOT_KEPT}\b)\w\w",
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
        rf"(?:my|our) (?:{_WORD} ){{0,2}}?{_KIN}(?:(?:,? [\w.'-]+){{0,6}}?,? {_VERBS} (?!{_OPINION}\b)"
        rf"|(?: [\w.-]+)?'s",
        r" (?:an?|the|\d|called|named|from|allergic|vegan|vegetarian|married|pregnant|getting married|name is)\b)",
    ),
    form(
        "person",
        0.85,
        "",
        rf"(?!it|that|this|he|she|there|what|which|here|who|such|one|the|my){_WORD}(?: {_WORD})? is (?:my"
        rf"|our) (?!favou?rite"
        r"|first|last|next|guess|question|problem|point|only|main (?:problem|concern)|goal|top pick|future)",
        rf"(?:{_WORD} ){{0,3}}{_WORD}",
    ),
    form(
        "person",
        0.9,
        "we we're",
        rf"we(?:'re| are) {_ADVERBS}(?:married|engaged|divorced|expecting|based in|from|vegan|vegetarian)\b",
    ),
    form(
        "fact", 0.75, "my", rf"my (?!(?:{_WORD} ){{0,1}}?{_PASSING}\b)(?:{_WORD} ){{1,3}}?{_NOW} (?!{_OPINION}\b)\w"
    ),
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
        rf"{_WE}(?:use|run|host|deploy|store|keep|ship|release|support|target|meet|pay|rent|own|live|work (?:in|at"
        rf"|from|with)",
        r"|moved (?:to|from)|bought|adopted|bill|freeze|develop|write (?:all|our)|only use|don't (?:use|support"
        r"|deploy|ship))",
        r" (?!it\b|that\b|this\b|them|the same)\w",
    ),
    form("fact", 0.8, "we", rf"{_WE}have (?:an?|one|two|three|four|\d+|no) (?!(?:{_WORD} ){{0,2}}?{_NOT_KEPT}\b)\w"),
    form(
        "fact",
        0.8,
        "our",
        rf"our (?!(?:{_WORD} ){{0,1}}?{_PASSING}\b)(?:{_NAME} ){{1,4}}?(?:{_SET_UP}|{_VALUED}"
        rf"|{_NOW}) (?!{_OPINION}\b)\S",
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
        rf"(?:(?:the|this) (?:{_NAME} ){{0,3}}?)?{_SUBJECTS} (?:{_NAME} ){{0,1}}?{_SET_UP} (?!an? |it\b|this|that"
        rf"|too|the (?:wrong|same))\S",
    ),
    form(
        "fact",
        0.75,
        "the this production staging prod ci",
        rf"(?:(?:the|this) (?:{_NAME} ){{0,3}}?)?{_SUBJECTS} (?:{_NAME} ){{0,1}}?{_VALUED}\b.*(?:\d|`|[a-z]\.[a-z]"
        rf"|/|\w+day\b|{_MONTHS})",
    ),
)
FORMS: tuple[FactForm, ...] = (*_NAMES, *_DATES, *_PREFERENCES, *_IDENTITY, *_FAMILY, *_DECISIONS, *_WORK)
