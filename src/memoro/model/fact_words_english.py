"""Words with which people state facts of their life and work in English: parts of `fact_forms_english`."""

from __future__ import annotations

from memoro.model.fact_forms import any_of

_ADVERB = any_of(
    """
    also really just actually absolutely personally generally usually always mostly mainly still currently now
    especially particularly totally only never often sometimes definitely do both all normally typically recently
    originally quite truly simply very_much kind_of sort_of already finally even too very pretty super so more_of
    well
    """
)
ADVERBS = rf"(?:{_ADVERB} )*"
I_DO, WE = rf"i {ADVERBS}", rf"we {ADVERBS}"
AM = rf"i(?:'m| am) {ADVERBS}"
HAVE = rf"i(?:'ve| have) {ADVERBS}"
WORD = r"[\w'-]+"
NAME = r"[\w'/.-]+"  # also of a service or a file

# People and animals that are somebody's own.
KIN = any_of(
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
PASSING = any_of(
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
VERBS = any_of(
    """
    is are was were has have had works? worked lives? lived loves? likes? hates? prefers? plays? speaks? runs? owns?
    teaches taught studies studied goes go died passed got moved comes? came turned turns expires? needs? uses?
    starts? ends? wants? can't cannot doesn't don't isn't grew left makes? takes? collects? drives? drove served
    suffers enjoys? eats? drinks? sells? does do raised costs? weighs? belongs? retired used_to bought became
    """
)
# Verbs that tell how something is, not how it was.
NOW = any_of(
    """
    is are has have works? lives? likes? prefers? runs? owns? goes comes expires? needs? uses? starts? ends? can't
    cannot doesn't don't isn't takes drives? eats? drinks? costs? weighs? belongs? stands? closes? opens? begins?
    falls? lies sits? arrives? departs? includes? consists? changes? happens?
    """
)
# What follows such a verb in an opinion, or in a report of the moment.
OPINION = any_of(
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
NO_ROLE = any_of(
    """
    bit little lot few mess idiot moron genius wreck while (?:big|huge)_fan fan fool tad touch bunch ton loss hurry
    rush bind weird second minute step good great nice bad_mood good_mood long_way mix sucker total
    """
)
# What people have for a moment, or have in their code.
NOT_KEPT = any_of(
    r"""
    weeks? days? hours? months? folder bunch ton total plate projects? meetings? solid savings pictures? pics?
    photos? stor(?:y|ies) events? questions? ideas? problems? issues? feeling minute moment second look doubts?
    suggestions? requests? favou?r bugs? errors? time chance clue hunch few lots? couple things? points? reason way
    choice preference concern tasks? tickets? typo fail\w* warnings? drafts? files? scripts? functions? class
    classes lists? tables? tests? snippets? logs? stack_?trace text paragraph nice great good really hard tough
    big_day busy long rough crush headache cold fever plans? weird strange similar methods? variables? strings?
    arrays? fields? columns? rows? quer(?:y|ies) regex exceptions? merge_conflict deadlines? calls? appointments?
    interviews? components? buttons? pages? objects? endpoints? csv json json_file dataframe dict dictionary loops?
    branch(?:es)? commits? access use_case scenario situation stuff parameters?
    """
)
# What is liked or disliked for the moment, because it was just spoken of: "I love the sea", but "I like the idea".
NO_OBJECT = any_of(
    """
    that it its this these those them their his her him your you how what one both all_of hearing another some any
    option approach
    the_(?!beach|ocean|sea|outdoors|mountains?|water|snow|rain|sun|summer|winter|spring|autumn|fall|cold|heat|city|country|forest|woods|theat|opera|radio|beatles|gym|dark|piano|guitar|violin|smell_of)
    """
)
COUNT = any_of(
    r"an? one two three four five six seven eight nine ten twelve \d+ no several many my_own both twin another some"
)
NATIONS = any_of(
    """
    american british english irish scottish welsh german french spanish portuguese italian dutch belgian swiss
    austrian polish czech russian ukrainian turkish greek swedish norwegian danish finnish canadian mexican
    brazilian indian chinese japanese korean australian african asian european latina latino hispanic black catholic
    muslim jewish hindu buddhist christian atheist agnostic
    """
)
STATES = any_of(
    r"""
    married single divorced engaged widowed pregnant retired unemployed self-employed employed left-handed
    right-handed ambidextrous colou?r_?-?blind blind deaf hard_of_hearing vegan vegetarian pescatarian diabetic
    asthmatic lactose gluten celiac coeliac dyslexic autistic bilingual trilingual fluent trans gay lesbian bisexual
    near-?sighted short-?sighted homeschooled adopted an_only_child disabled overweight sober tall short shy
    introverted extroverted religious
    the_(?:oldest|youngest|eldest|only|lead|head|owner|maintainer|founder|cto|ceo|manager|middle)
    """
)
DOING = any_of(
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
LIFE = any_of(
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
BEEN = any_of(
    r"""
    an? to_(?!the_docs) with_(?:my|the_same) married single playing_(?!around|with|catch) teaching living
    working_(?:as|at|for|in_(?!progress)) studying learning_(?!a_lot|how|so) vegan vegetarian diagnosed
    doing_\w+_for collecting riding dancing
    """
)
# Subjects of the work and the home, and verbs that tell how they are set up.
SUBJECTS = any_of(
    """
    apis? servers? services? databases? db staging production prod repo repository app ports? cluster backups?
    deploys? deployments? ci pipeline schema frontend backend queue cache bucket domain docs documentation wiki team
    office project client customer company releases? standup plugin website site shop vpn nas router printer
    dashboard monitoring logs secrets gateway workers? jobs? migrations? tests test_suite linter formatter license
    monorepo codebase registry landlord wifi wi-fi network boiler car flat apartment house garden school daycare
    changelog
    """
)
SET_UP = any_of(
    """
    listens?_on runs?_(?:on|in|at|every|under|behind) lives?_(?:in|at|on|under)
    (?:is|are)_(?:hosted|deployed|written_in|called|named|served|stored|kept|built_(?:on|with|in)|managed_by|owned_by)
    (?:is|are)_(?:maintained_by|located|based|backed_by|generated_(?:by|from)|licensed|pinned_to|capped_at|limited_to)
    uses? depends?_on goes_through go_through belongs?_to points?_to talks?_to supports? targets? deploys?_to
    stores? writes?_to reads?_from
    """
)
VALUED = any_of(
    """
    (?:is|are)_(?:under|at|on|in|behind|version|due) needs? requires? expires? starts?_(?:at|on) takes?_place costs?
    happens? closes? opens?
    """
)
MONTHS = any_of(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sept? oct nov dec
    """
)
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DAY = (
    rf"(?:\b(?:on|by|until|from|since|next|every|this|due|for|the|second|third) (?:the )?{_WEEKDAYS}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b{MONTHS}\.? \d{{1,2}}\b|\b\d{{1,2}} (?:of )?{MONTHS}\b|\bin {MONTHS}\b"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}\b)"
)
EVENTS = any_of(
    """
    birthday anniversary appointment meeting interview deadline due_date wedding flight exam surgery operation trip
    vacation holiday party dinner concert conference release launch demo review standup retro sprint move graduation
    funeral recital check-?up lesson class course visit trial hearing lease contract insurance passport visa
    subscription license rent presentation kick-?off go-?live freeze onboarding defen[cs]e marathon race
    """
)
