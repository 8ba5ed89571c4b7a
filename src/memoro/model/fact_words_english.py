"""How people state facts of their life and work in English. The forms are tried in this order."""

from __future__ import annotations

from memoro.model.fact_forms import FactForm, form

_ADVERBS = (
    r"(?:(?:also|really|just|actually|absolutely|personally|generally|usually|always|mostly|mainly|still|currently"
    r"|now"
    r"|especially|particularly|totally|only|never|often|sometimes|definitely|do|both|all|normally|typically|recently"
    r"|originally|quite|truly|simply|very much|kind of|sort of|already|finally|even|too|very|pretty|super|so|more of"
    r"|well) )*"
)
_AM = rf"i(?:'m| am) {_ADVERBS}"
_I = rf"i {_ADVERBS}"
_HAVE = rf"i(?:'ve| have) {_ADVERBS}"
_WE = rf"we {_ADVERBS}"
_KIN = (
    r"(?:mother|father|mum|mom|mommy|dad|daddy|parents?|folks|brothers?|sisters?|siblings?|sons?|daughters?|kids?"
    r"|child|children|baby|twins|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|ex|ex-\w+|grand\w+"
    r"|nana"
    r"|aunt\w*|uncles?|cousins?|nieces?|nephews?|step\w+|in-laws|\w+-in-law|friends?|roommates?|flatmates?"
    r"|neighbou?rs?"
    r"|family|boss|manager|colleagues?|coworkers?|co-founder|cofounder|teammates?|therapist|dentist|doctor|gp"
    r"|landlord|landlady|trainer|coach|teacher|supervisor|advisor|professor|accountant|lawyer|tutor|nanny"
    r"|dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horses?|hamsters?|rabbits?|parrots?|fish|turtle|snake|lizard)"
)
# What is said to be one's own for a moment, or in a manner of speaking.
_PASSING = (
    r"(?:code|tests?|build|question|problem|issue|guess|point|bad|mistake|idea|plan|understanding|apolog\w+|concern"
    r"|worry|fault|script|functions?|query|screen|terminal|output|error|pr|branch|changes?|commits?|cursor|mind|head"
    r"|god|goodness|gosh|word|pleasure|honou?r|bet|hope|only|turn|way|last|next|first|previous|current|expectation"
    r"|impression|feeling|thoughts?|take|advice|suggestion|request|message|prompt|reply|answer|draft|text|essay"
    r"|email"
    r"|mail|browser tab|hands|feet|stomach|mood|day|week|weekend|morning|evening|night|attempt|approach|logic|loop)"
)
_VERBS = (
    r"(?:is|are|was|were|has|have|had|'s|works?|worked|lives?|lived|loves?|likes?|hates?|prefers?|plays?|speaks?"
    r"|runs?"
    r"|owns?|teaches|taught|studies|studied|goes|go|died|passed|got|moved|comes?|came|turned|turns|expires?|needs?"
    r"|uses?|starts?|ends?|wants?|can't|cannot|doesn't|don't|isn't|grew|left|makes?|takes?|collects?|drives?|drove"
    r"|served|suffers|enjoys?|eats?|drinks?|sells?|does|do|raised|passed|includes?|costs?|weighs?|belongs?|stands?"
    r"|closes?|opens?|begins?|retired|used to|bought|got|became|called|named|falls?|lies|sits?|arrives?|departs?)"
)
_NO_NOUN = (
    r"(?:bit|little|lot|few|mess|idiot|moron|genius|wreck|while|big (?:mess|deal)|(?:big |huge )?fan|fool|tad|touch"
    r"|loss|hurry|rush|bind|weird|complete beginner here|second|minute|step|couple (?:of )?(?:steps|minutes)|good"
    r"|great|nice|bad mood|good mood|long way)"
)
_NOT_KEPT = (
    r"(?:questions?|idea|ideas|problems?|issues?|feeling|minute|moment|second|look|doubt|doubts|suggestions?|request"
    r"|favou?r|bugs?|errors?|hard time|tough time|good time|great time|chance|clue|hunch|few|lot of (?:work|fun"
    r"|stuff)"
    r"|lots|couple|thing|things|point|reason|way|choice|preference|concern|task|ticket|typo|fail\w*|warning|draft"
    r"|file"
    r"|script|function|class|list|table|test|tests|snippet|log|stack ?trace|text|paragraph|nice|great|good|really"
    r"|hard|tough|big day|busy|long|rough|crush|headache|cold|fever|plan|plans|weird|strange|similar|method|variable"
    r"|string|array|field|column|query|regex|exception|merge conflict|deadline|meeting|call|appointment|interview)"
)
_COUNT = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|no|several|many|my own|both|twin"
    r"|a couple of"
    r"|another|some)"
)
_NATIONS = (
    r"(?:american|british|english|irish|scottish|welsh|german|french|spanish|portuguese|italian|dutch|belgian|swiss"
    r"|austrian|polish|czech|russian|ukrainian|turkish|greek|swedish|norwegian|danish|finnish|canadian|mexican"
    r"|brazilian|indian|chinese|japanese|korean|australian|african|asian|european|latina|latino|hispanic|black|white"
    r"|catholic|muslim|jewish|hindu|buddhist|christian|atheist|agnostic)"
)
_STATES = (
    r"(?:married|single|divorced|engaged|widowed|pregnant|retired|unemployed|self-employed|employed|left-handed"
    r"|right-handed|ambidextrous|colou?r ?-?blind|blind|deaf|hard of hearing|vegan|vegetarian|pescatarian|allergic"
    r"|diabetic|asthmatic|lactose|gluten|celiac|coeliac|intolerant|dyslexic|autistic|bilingual|trilingual|fluent"
    r"|trans"
    r"|gay|lesbian|bisexual|straight|near-?sighted|short-?sighted|homeschooled|adopted|an only child|disabled"
    r"|overweight|sober|colou?rblind|tall|short|shy|introverted|extroverted|religious"
    r"|the (?:oldest|youngest|eldest|only|lead|head|owner|maintainer|founder|cto|ceo|manager|middle|one who))\b"
)
_SUBJECTS = (
    r"(?:api|apis|server|servers|service|services|database|databases|db|staging|production|prod|repo|repository|app"
    r"|ports?|endpoint|cluster|backups?|deploys?|deployments?|ci|pipeline|config|configuration|schema|frontend"
    r"|backend"
    r"|queue|cache|bucket|domain|docs|documentation|wiki|team|office|project|client|customer|company|budget|release"
    r"|releases|standup|plugin|website|site|shop|vpn|nas|router|printer|dashboard|monitoring|logs|secrets|gateway"
    r"|worker|workers|job|jobs|migrations?|tests|test suite|linter|formatter|license|monorepo|codebase|registry"
    r"|landlord|rent|wifi|wi-fi|network|key|keys|spare key|boiler|car|flat|apartment|house|garden|school|daycare)"
)
_HOLDS = (
    r"(?:listens? on|runs? (?:on|in|at|every|under|behind)|lives? (?:in|at|on|under)|(?:is|are) (?:hosted|deployed"
    r"|written in|called|named|served|stored|kept|built (?:on|with|in)|managed by|owned by|maintained by|located"
    r"|based"
    r"|backed by|generated (?:by|from)|licensed|pinned to|capped at|limited to|under|at|on|in|behind|version|due)"
    r"|uses?|needs?|requires?|depends? on|goes through|go through|belongs? to|expires?|starts? (?:at|on)"
    r"|takes? place"
    r"|costs?|points? to|talks? to|speaks?|supports?|targets?|deploys?|stores?|writes? to|reads? from|must|has|have"
    r"|happens?|closes?|opens?)"
)
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun"
    r"|jul"
    r"|aug|sept?|oct|nov|dec)"
)
_DAY = (
    rf"(?:\b(?:on|by|until|from|since|next|every|this|due|for|the) (?:the )?{_WEEKDAYS}\b|\b\d{{1,2}}(?:st|nd|rd"
    rf"|th)\b"
    rf"|\b{_MONTHS}\.? \d{{1,2}}\b|\b\d{{1,2}} (?:of )?{_MONTHS}\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
    rf"|\b\d{{1,2}}/\d{{1,2}}\b"
    rf"|\bin {_MONTHS}\b|\b(?:at|from) \d{{1,2}}(?::\d\d)? ?(?:am|pm|a\.m|p\.m)\b|\bat \d{{1,2}}:\d\d\b)"
)
_EVENTS = (
    r"(?:birthday|anniversary|appointment|meeting|interview|deadline|due date|wedding|flight|exam|surgery|operation"
    r"|trip|vacation|holiday|party|dinner|concert|conference|release|launch|demo|review|standup|retro|sprint|move"
    r"|graduation|funeral|recital|check-?up|lesson|class|course|visit|trial|hearing|lease|contract|insurance"
    r"|passport"
    r"|visa|subscription|license|rent|presentation|kick-?off|go-?live|freeze|onboarding|defen[cs]e|marathon|race)"
)

FORMS: tuple[FactForm, ...] = (
    # Names and other things that seldom change.
    form("person", 0.95, "my", r"my (?:\w+ )?(?:nick|sur)?name(?:'s| is) (?!in|on|not\b)\w"),
    form(
        "person",
        0.9,
        "i i'm people everyone friends",
        r"(?:i'm called|i am called|i go by|(?:people|everyone|friends) calls? me) \w",
    ),
    form(
        "person",
        0.85,
        "call",
        r"call me (?!back|when|if|later|at|crazy|old|maybe|a|the|an|on|in|again"
        r"|by)\w+\W*$",
    ),
    # Dates.
    form("date", 0.9, "my our the", rf"(?:my|our|the) (?:[\w'-]+ ){{0,4}}?{_EVENTS}s?(?: [\w'-]+){{0,5}}? .*{_DAY}"),
    form(
        "date",
        0.8,
        "i we i've we've i'm we're",
        rf"(?:i|we)(?:'ve| have|'ve got)? (?:a|an|my|our|the|two) (?:[\w'-]+ ){{0,4}}?{_EVENTS}s?\b.*{_DAY}",
    ),
    form(
        "date",
        0.8,
        "i we i'm we're",
        rf"(?:i|we)(?:'m| am|'re| are)? (?:fly|flying|leave|leaving|arrive|arriving|travel|travelling|traveling"
        rf"|move|moving|getting married|start|starting|due)\b.*{_DAY}",
    ),
    form("date", 0.85, "i", r"i was born (?:on|in)\b"),
    # Preferences.
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
        rf"{_I}(?:like|love|enjoy|prefer|hate|dislike|adore|loathe|detest|can't stand|cannot stand|favou?r)"
        r" (?!that|it\b|this|these|those|them|your|you\b|how|when you|the way|what|him|her\b|one|both|to (?:know|see"
        r"|think|hear|ask|thank|say|help you)|hearing|seeing that|talking to you)\w",
    ),
    form(
        "preference",
        0.85,
        "i",
        rf"{_I}(?:don't|do not) {_ADVERBS}(?:like|eat|drink|enjoy|smoke|wear|watch|care for|do well with)"
        r" (?!that|it\b|this|these|those|them|your|you|how|the (?:way|idea|look|sound))\w",
    ),
    form("preference", 0.8, "i i'd", r"i(?:'d| would) (?:much |always )?rather (?!not\W*$|you)\w+ \w+"),
    form(
        "preference",
        0.8,
        "i'm i",
        rf"{_AM}(?:an? )?(?:big |huge |avid |not (?:an? )?(?:big |huge )?)?(?:fan of|lover of|into|passionate about"
        r"|obsessed with|interested in|fond of|keen on|crazy about|afraid of|scared of|terrified of|addicted to"
        r"|allergic to|good at|bad at|terrible at)"
        r" (?!that|it\b|this|these|those|them|your|you|how|seeing|hearing|what)\w",
    ),
    form(
        "preference",
        0.8,
        "i'm i",
        r"i(?:'m| am) (?:more of )?(?:not )?an? [\w' -]{2,25} (?:person|guy|girl"
        r"|lover)\b",
    ),
    # Who somebody is.
    form("person", 0.85, "i'm i", rf"{_AM}\d{{1,2}}(?: years? old| yrs?| yo)?(?:\W*$|,| and | years)"),
    form("person", 0.85, "i'm i", rf"{_AM}(?:from|based in|living (?:in|with|at|near)|located in|born in) \w"),
    form("person", 0.85, "i'm i", rf"{_AM}(?:not )?(?:{_STATES}|{_NATIONS}\b)"),
    form("person", 0.8, "i'm i", rf"{_AM}an? (?!{_NO_NOUN}\b)[\w'-]{{3,}}"),
    form(
        "person",
        0.75,
        "i'm i",
        rf"{_AM}(?:studying|learning|training (?:for|to)|taking (?:\w+ )?(?:classes|lessons|a course)|majoring"
        rf"|teaching"
        r"|raising|expecting|writing (?:a|my) (?:book|novel|thesis|dissertation)|working (?:as|at|for|full|part)"
        r"|in (?:my \w+ year|high school|college|grade|the army|the navy|a band|a wheelchair|the \w+ grade|charge of"
        r"|school|medical school|law school|recovery|therapy)|on (?:a \w*\s?diet|medication|insulin|parental leave"
        r"|sabbatical|the \w+ team)|responsible for|colou?r)\b",
    ),
    form(
        "person",
        0.8,
        "i",
        rf"{_I}(?:live|lived|reside|grew up|come from|was born|was raised|moved (?:to|from|in|here|out|back)"
        r"|work (?:at|for|as|in|from|with|on (?:a|the \w+ team)|part|full|remote|night)|worked (?:at|for|as|in) "
        r"|teach|taught|study(?! it)|studied|own (?!it)|manage (?:a|the|my)|lead (?:a|the)|founded|maintain"
        r"|volunteer"
        r"|graduated|retired|speak|play(?!ed)|collect|drive (?:a|an|to)|ride|commute|major(?:ed)? in|served in"
        r"|adopted"
        r"|got (?:married|divorced|engaged|promoted|laid off|fired|a (?:new )?(?:job|dog|cat|puppy|kitten))"
        r"|wear|sing|paint|dance|bake|knit|attend|belong to|rent|lost my|broke my|suffer from|run (?:a|my own"
        r"|marathons"
        r"|every)|take (?:insulin|metformin|lessons|the \w+ to work)|go (?:to (?:the gym|church|school|college)|by"
        r"|hiking|running|fishing|camping|swimming)|write (?:books|novels|poetry|songs|code in|for)|cook|identify as"
        r"|weigh|stand \d|inherited|have been (?!think|try|wonder|look|work(?:ing)? on|meaning|there|told|gett))\b",
    ),
    form(
        "person",
        0.8,
        "i've i",
        rf"{_HAVE}been (?:an?|in|to|with|married|single|playing|teaching|living|working (?:as|at|for|in)|studying"
        r"|learning|vegan|vegetarian|diagnosed|doing \w+ for|collecting|riding|dancing)\b",
    ),
    form("person", 0.75, "i've", r"i've (?:lived|worked|taught|owned|visited|played|studied|had \w+ \w+ for)\b"),
    form(
        "person",
        0.8,
        "i've i",
        rf"(?:i've got|i have|i've) {_ADVERBS}{_COUNT} (?!(?:[\w'-]+ ){{0,2}}?{_NOT_KEPT}\b)[\w'-]{{2,}}",
    ),
    form(
        "person",
        0.8,
        "i",
        r"i (?:don't|do not) have (?:any |a |an |my own )?(?:kids|children|siblings|brothers|sisters"
        r"|pets?|dogs?|cats?|car|driver'?s?|license|tv|job|degree|insurance|family)\b",
    ),
    form(
        "person",
        0.75,
        "i",
        r"i (?:can't|cannot|can|don't|do not) (?:eat|drive|swim|drink|speak|own|sing|play|ride|cook)\b (?!it|that"
        r"|this)\w",
    ),
    form(
        "person",
        0.7,
        "i",
        r"i used to (?:be|work|live|play|have|own|smoke|teach|drive|run|go|study|do|dance"
        r"|sing)\b",
    ),
    form("person", 0.75, "i", r"i (?:use|have used) (?!it\b|that|this|them|the following|those|these|to\b)\w"),
    # Family, friends, pets, and what is one's own.
    form(
        "person",
        0.9,
        "my our",
        rf"(?:my|our) (?:[\w'-]+ ){{0,2}}?{_KIN}(?:'s [\w'-]+)?(?:,? [\w.,'-]+){{0,6}}? ?{_VERBS}\b",
    ),
    form(
        "person",
        0.85,
        "",
        r"(?!it|that|this|he|she|there|what|which|here|who|such|one|the|my)[\w'-]+(?: [\w'-]+)? is (?:my"
        r"|our) (?!favou?rite|first|last|next|guess|question|problem"
        r"|point|only|main (?:problem|concern)|goal)(?:[\w'-]+ ){0,3}[\w'-]+",
    ),
    form(
        "person",
        0.9,
        "we we're we've",
        rf"we(?:'re| are) {_ADVERBS}(?:married|engaged|divorced|expecting|based in|from|vegan|vegetarian)\b",
    ),
    form("fact", 0.75, "my", rf"my (?!{_PASSING}\b)(?:[\w'-]+ ){{1,3}}?{_VERBS} "),
    # Decisions.
    form(
        "decision",
        0.9,
        "we i we've i've",
        r"(?:we|i)(?:'ve| have)?(?: all| finally| just| now)? (?:decided|agreed|settled on|chosen|chose|opted"
        r"|picked|signed off)\b",
    ),
    form(
        "decision",
        0.9,
        "decision decided the agreed",
        r"(?:the )?(?:final )?decision(?: is)?[: ]|(?:decided|agreed): ",
    ),
    form(
        "decision",
        0.75,
        "let's lets",
        r"let'?s (?:go with|use|stick (?:with|to)|stay (?:with|on)|keep|settle on|standardi[sz]e on|drop) "
        r"(?!it\b|that\b|this\b|these|those|them|going|talking|the (?:first|second|last|other|latter|former)"
        r"|an? )\w+",
    ),
    form(
        "decision",
        0.75,
        "we'll we're we i'll i'm",
        r"(?:we|i)(?:'ll| will|'re|'m| are| am) (?:going with|go with|sticking (?:with|to)|stick (?:with|to)"
        r"|switching to|moving to|dropping|using|use) (?!it\b|that\b|this\b|them)\w+",
    ),
    # The work.
    form(
        "fact",
        0.8,
        "we we're we've",
        rf"{_WE}(?:use|run|host|deploy|store|keep|ship|release|support|target|meet|pay|rent|own"
        r"|live|work (?:in|at|from|with)|moved (?:to|from)|bought|adopted|have (?:an?|one|two|three|four|\d+|no)"
        rf" (?!(?:[\w'-]+ ){{0,2}}?{_NOT_KEPT}\b)|bill|freeze|develop|write (?:all|our)|only|don't (?:use|support"
        rf"|deploy|ship|work))"
        r" ?(?!it\b|that\b|this\b|them)\w",
    ),
    form("fact", 0.8, "our", rf"our (?!{_PASSING}\b)(?:[\w'/.-]+ ){{1,4}}?(?:{_HOLDS}|{_VERBS})\b"),
    form(
        "fact",
        0.75,
        "the this production staging prod ci",
        rf"(?:(?:the|this) (?:[\w'/.-]+ ){{0,3}}?)?{_SUBJECTS} (?:[\w'/.-]+ ){{0,2}}?{_HOLDS}\b.*(?:\d|`"
        rf"|[a-z]\.[a-z]|/|\b\w+day\b|{_MONTHS})",
    ),
)
