"""Words of English grammar, as data: what holds a sentence together, common verbs, irregular forms,
numerals, the calendar, units of measure, coins.

Contract: no word of any subject stands here. A conversation's own past words are known to the reader from the
conversation alone.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FUNCTION = _words(
    """a about above after again against ago all almost alone along already also although always am an and
    another any anybody anyone anything are around as at away back be because been before behind being below
    beside besides between both but by can cannot could did do does doing done down due during each
    either else enough even ever every everybody everyone everything exactly few first for from further had
    has have having he hello her here hers herself hi him himself his how however i if in indeed inside
    instead into is it its itself just last later least less like likely little many may maybe me might mine
    more most much must my myself near nearly neither never next no nobody none nor not nothing now of off
    often ok okay on once one only onto or other others ought our ours ourselves out outside over own per
    perhaps please quite rather really same several shall she should since so some somebody someone
    something somewhere soon still such than thank thanks that the their theirs them themselves then there
    therefore these they this those though through thus till to today tonight together too toward towards
    under until up upon us usually very was we well were what whatever when where whether which while who
    whole whom whose why will with within without would yes yet you your yours yourself"""
)
"""Words that tell nothing by themselves."""
WEAK = _words(
    """ask become begin bring call come describe explain feel find get give go happen hold keep know leave
    let list look make mean need put say see seem show suppose take tell think try use want work"""
)
"""Verbs so common that they tell little."""
LIGHT = frozenset(_words("have has had do does did done get gets got"))
"""Verbs that stand for any other: "she does the books"."""
VAGUE = _words("go come get make take put see use look happen seem become let")
"""Verbs of which nothing can be told without their particle."""
RELATIONS = _words("give bring tell show find leave say ask know keep begin explain describe")
"""Common verbs that nevertheless say what an answer is about."""
VALUING = _words("cost charge pay earn owe spend weigh")
"""Verbs that ask for a figure: "what does it weigh"."""
_IRREGULAR = """
    become became; begin began begun; bend bent; bind bound; bite bit bitten; blow blew blown; break
    broke broken; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen;
    come came; cost costs; cut cuts; deal dealt; dig dug digging; draw drew drawn; drink drank drunk;
    drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
    fly flew flown; forbid forbade forbidden; forget forgot forgotten; freeze froze frozen; get got
    gotten; give gave given; go went gone goes going; grow grew grown; hang hung; hear heard; hide hid hidden;
    hold held; keep kept; know knew known; lay laid; lead led; learn learnt; leave left; lend lent; lie
    lain lying; light lit; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; use used
    using uses; die died dying; owe owed; add added; ring rang rung; rise rose risen; run ran; say said;
    see saw seen; seek sought; sell sold; send sent; shake shook; shine shone; shoot shot; shut
    shutting; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent;
    spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike
    struck; sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn;
    tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore
    worn; win won; write wrote written; man men; woman women; child children; foot feet; tooth teeth;
    mouse mice; goose geese; person people; agree agreed; free freed; good better best;
    bad worse worst; far farther farthest"""
_NO_VERBS = _words("man woman child foot tooth mouse goose person good bad far")
BASE_FORMS = {form: line.split()[0] for line in _IRREGULAR.split(";") for form in line.split()[1:]}
"""Base form of each irregular one."""
PAST_FORMS = frozenset(form for form, base in BASE_FORMS.items() if base not in _NO_VERBS)
"""Irregular forms of verbs."""
_UNITS = _words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMERALS = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: str(value) for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}
MONTHS = _words("january february march april may june july august september october november december")
DAYS = _words("monday tuesday wednesday thursday friday saturday sunday")
PRONOUNS = _words("it its they them their he him his she her that this these those")
SUBJECTS = _words("i we you they he she it that who to")
"""Words after which a verb comes."""
DETERMINERS = _words("the a an my our your his her their its this that these those many which")
"""Words after which a noun comes."""
DEFINITE = frozenset(_words("the this that my our your his her its their these those"))
"""Words after which a thing comes that is known."""
CLAUSE = _words("because but while although though if")
"""Words that open a clause about something else."""
TIME = (
    r"(?:milli)?seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|min|sec"
    r"|until|ever"
)
LENGTH = (
    r"(?:kilo|centi|milli)?met(?:re|er)s?|[ckm]?m|miles?|f(?:oo|ee)t|inch(?:es)?|yards?|pages?|lines?"
    r"|characters?"
)
MASS = r"kilo(?:gram(?:me)?)?s?|gram(?:me)?s?|k?g|t(?:on(?:ne)?s?)?|pounds?|lbs?|stones?"
HEAT = r"degrees?|[°º]\s?[CF]?"
SIZE = r"square|cubic|[kcm]?m[²³2³]?|lit(?:re|er)s?|[kmgt]i?b|[gt]|acres?|hectares?|seats?"
SPEED = r"km/h|kph|mph|m/s|knots?|[kmg]?bit/s"
POWER = r"hp|horsepower|[km]?w|(?:kilo)?watts?|[km]?v|volts?|amps?|amperes?"
MEASURES = {
    **dict.fromkeys(("big", "large", "small"), f"{SIZE}|{LENGTH}"),
    **dict.fromkeys(("strong", "powerful"), f"{POWER}|{SPEED}"),
    "fast": SPEED,
    "loud": r"decibels?|db",
    "thick": LENGTH,
    **dict.fromkeys(("tall", "high", "deep", "wide"), LENGTH),
    **dict.fromkeys(("long", "far"), f"{TIME}|{LENGTH}"),
    **dict.fromkeys(("hot", "cold", "warm"), HEAT),
    "heavy": MASS,
    "old": TIME,
}
"""Units, as patterns, in which "how long" and the like are answered."""
COIN = (
    r"(?:euros?|eur|dollars?|usd|cents?|pounds?|gbp|pence|francs?|chf|crowns?|kron(?:er|or)|yen|rupees?"
    r"|[€$£¥])"
)
