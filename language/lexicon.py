"""English as data: function words, adjectives and what they measure.

Owns: word lists only.
"""

from __future__ import annotations

from typing import Final

from askwire.language.text import listed

FUNCTION_WORDS: Final = frozenset(
    listed(
        """
    a an the this that these those there here it its they them their theirs he she his her hers him
    we us our you your i me my be am do have can could will would shall should may might must of in
    on at by for from to with without within into onto over under about above below between among
    through during before after since until as than then and or but nor not no never none neither
    either both any all each every per some such same other another also too only just so if when
    where who whom whose which what why how many much more most less least few fewer fewest 's 'd ,
    . ? ! ; : ( ) - / ' & please tell show list give find return display get fetch pull want need know
    see let count compute calculate determine provide print name report identify select retrieve
    what's who's list state number amount total average mean sum maximum minimum max min up out one
    along together respectively correspond corresponding associate associated relate related belong
    belonging different distinct unique various exist existing available record result information
    detail data database table value order ordered sort ascend descend ascending descending
    alphabetical alphabetically alphabetic asc desc decrease increase decreasing increasing
    lexicographical chronological reverse group rank top first last high low highest lowest large
    largest small smallest great greatest big biggest long short new old young early late recent
    latest earliest equal least exactly precisely great greater larger smaller bigger higher lower less fewer
    kind type ever yet still well like call called named title titled entitle ascendingly
    descendingly across against toward towards else except excluding besides instead least whole
    entire overall common popular frequent commonly frequently often usually time there's let's
    everything anything something anyone everyone someone no one nothing thing those whichever
    however use using used include including contain containing start starting begin beginning end
    ending current currently today now return
    """
    )
)
"""Words that carry structure; they need no counterpart in the schema to count as understood."""

SOFT_WORDS: Final = frozenset(
    listed(
        """
    live living lived speak spoke spoken speaking locate located situated come comes coming came
    work working worked play playing played make made making take taken took taking hold held
    holding run running ran own owned owning go went
    going gone serve served serving teach taught teaching study studying studied enroll enrolled
    attend attended attending participate participated participating join joined receive received
    receiving win won winning born write written wrote publish published produce produced release
    released direct directed offer offered offering sell selling sold buy bought purchase purchased place
    placed pay paid send sent appear appeared host hosted operate operated work register registered
    assign assigned sign signed create created build built found founded open opened close
    happen happened occur occurred mention mentioned describe described stay stayed reside residing
    affect affected award awarded earn earned reach reached perform performs performed performing sing
    sung act acted carry carries carried carrying handle handles handled handling weigh weighs weighing
    say said stand get got become became choose chosen treat treated visit visited travel traveled
    arrive arrived depart departed leave left follow following rate rated review reviewed employ
    employed hire hired manage managed supervise supervised advise advised lead led head headed
    share shared support supported allow allowed least consist involve involved represent
    represented specify specified describe ship shipped deliver delivered total average distinct
    measured recorded observed reported provided providing fly flying flew flown flied incur incurred
    lend lent lending
    possible corresponding particular certain given specific respective single individual order
    ordered list listed count ever actually least please good dollar dollars euro euros usd eur
    bucks hour hours minute minutes kilometer kilometers meter meters km kg mile
    miles square split broken down segmented subdivided
    """
    )
)
"""Verbs and adjectives that join things already named; leaving them out costs little confidence."""

NOT_ADDED: Final = frozenset(
    listed(
        "percentage percent pct rate ratio average avg mean rating expectancy age temperature price density "
        "index height humidity gpa speed margin"
    )
)
"""Words of measures that do not add up: of a group people want their average."""

PERCENT_WORDS: Final = frozenset({"percentage", "percent", "pct", "rate", "ratio", "share"})
"""Words of parts of an amount."""

HELD: Final = frozenset(
    listed(
        "salary wage pay price cost rent fee premium limit stock budget allowance balance capacity credit "
        "score"
    )
)
"""Words of amounts that something has all along: 'monthly salary' is what is paid each month, and no sum."""

AGE: Final = (
    "age|-birth date|-birthday|-date birth|-birth|-year born|-founded|-formed|-established|-built"
    "|-start year|-open year"
)
ATTRIBUTES: Final = {
    "old": (AGE, ">"),
    "young": (AGE, "<"),
    "tall": ("height", ">"),
    "short": ("length|duration|height|distance|milliseconds|time", "<"),
    "long": ("length|duration|distance|milliseconds|time|runtime|year", ">"),
    "heavy": ("weight|mass", ">"),
    "light": ("weight|mass", "<"),
    "large": ("size|area|population|capacity", ">"),
    "big": ("size|area|population|capacity", ">"),
    "small": ("size|area|population|capacity", "<"),
    "expensive": ("price|cost|fee|fare|amount|charge|rate|total|value", ">"),
    **dict.fromkeys(("pricey", "pricy"), ("price|cost", ">")),
    "costly": ("price|cost|fee", ">"),
    "cheap": ("price|cost|fee|fare|amount|charge|rate|total|value", "<"),
    "early": ("date|year|time|start|founded", "<"),
    "late": ("date|year|time|start|founded", ">"),
    "recent": ("date|year|time|start|founded", ">"),
    "new": ("date|year|time|start|founded", ">"),
    "powerful": ("power|horsepower|output|wattage", ">"),
    "wet": ("precipitation|rainfall|rain", ">"),
    "rainy": ("precipitation|rainfall|rain", ">"),
    "dry": ("precipitation|rainfall|rain", "<"),
    "humid": ("humidity", ">"),
    "windy": ("wind speed|wind", ">"),
    "fast": ("speed|-time|-lap time|-duration|velocity", ">"),
    "slow": ("speed|-time|-lap time|-duration", "<"),
    "rich": ("income|salary|wealth|worth|net worth|balance", ">"),
    "deep": ("depth", ">"),
    "wide": ("width", ">"),
    "strong": ("power|magnitude|strength|abv|alcohol", ">"),
    "hot": ("temperature", ">"),
    "cold": ("temperature", "<"),
    "high": ("height|elevation|altitude|price|score", ">"),
    "low": ("height|elevation|altitude|price|score", "<"),
    "lofty": ("height|elevation|altitude", ">"),
    "popular": ("popularity", ">"),
    "populous": ("population", ">"),
    "populated": ("population", ">"),
    "crowded": ("population|attendance", ">"),
    "experienced": ("experience|year working|year experience", ">"),
    "good": ("rating|score|rank", ">"),
    "bad": ("rating|score", "<"),
    "spent": ("revenue|amount|total|spending|price|cost|fee|payment|fare", ">"),
    "paid": ("salary|income|wage|pay|compensation|earnings|amount|fare|fee|price", ">"),
    "earning": ("salary|income|wage|pay|compensation|earnings|amount", ">"),
    "senior": (AGE, ">"),
    "close": ("distance", "<"),
    "far": ("distance", ">"),
    "dense": ("density|population density", ">"),
    "productive": ("production", ">"),
    "profitable": ("profit", ">"),
    "successful": ("success", ">"),
    "rare": ("rarity", ">"),
}
"""adjective → (what it measures, direction); '|' separates choices, a leading '-' turns the direction."""

SPREAD: Final = {
    "density": "area|surface area|land area",
    "capita": "population|inhabitant|resident",
    "head": "population|inhabitant|resident",
    "inhabitant": "population",
    "resident": "population",
    "citizen": "population",
    "person": "population",
}
"""What an amount is spread over: 'population density', 'output per capita'."""
STOCK: Final = {
    "on hand": "stock|inventory|quantity hand|quantity available",
    "reorder": "reorder level|reorder point|minimum stock|safety stock",
}
"""What is there of a thing, and at how much of it more is ordered."""
DERIVED: Final = frozenset(
    listed(
        """
        density growth margin ratio range variance deviation trend volatility efficiency productivity
        elasticity intensity percentile quartile distribution correlation markup capita
        """
    )
)
"""Words that make another number of the number they stand beside: an answer without them is not it."""

EMPTY_WORDS: Final = (
    "null",
    "missing",
    "empty",
    "unknown",
    "blank",
    "absent",
    "unspecified",
    "undefined",
    "unrecorded",
)
"""What is said of a column that has no value."""
KNOWN_WORDS: Final = (
    "known",
    "recorded",
    "given",
    "specified",
    "set",
    "filled",
    "available",
    "provided",
    "stated",
    "registered",
    "defined",
    "entered",
)
"""What is denied of a column that has none."""
TOLD_IN: Final = (
    "description",
    "synopsis",
    "plot",
    "summary",
    "abstract",
    "overview",
    "body",
    "content",
    "text",
    "subject",
    "topic",
    "theme",
    "message",
    "comment",
    "remark",
    "note",
)
"""What tells of what a thing is about, the fullest first."""
PLACES: Final = (
    "location|address|city|place|venue|country|state|region|town|headquarters|building|room|street"
)
"""What 'where' asks for, in order of preference."""

IRREGULAR_DEGREES: Final = {
    "better": ("good", "er"),
    "best": ("good", "est"),
    "worse": ("bad", "er"),
    "worst": ("bad", "est"),
    "latest": ("late", "est"),
    "later": ("late", "er"),
    "eldest": ("old", "est"),
    "elder": ("old", "er"),
    "farthest": ("far", "est"),
    "furthest": ("far", "est"),
    "farther": ("far", "er"),
    "biggest": ("big", "est"),
    "bigger": ("big", "er"),
    "hottest": ("hot", "est"),
    "hotter": ("hot", "er"),
    "nearest": ("close", "est"),
}

AMOUNT_WORDS: Final = frozenset(listed("payment sale donation expense fee fine bill deposit salary wage pay"))
"""What is an amount itself: the highest total payments are not how many there are."""
MEASURE_WORDS: Final = frozenset({"gross", "revenue", "sale", "turnover"})
"""Words for money taken in; a sum of them is meant even where the question does not say so."""

SERVING: Final = frozenset({"serving", "standing", "tenured"})
"""Said of who has been somewhere for long: 'the longest serving nurse'."""

COUNT_WORDS: Final = frozenset(listed("number numbers count counts headcount tally"))
SUM_WORDS: Final = frozenset(listed("total totals sum amount amounts value values figure figures"))
MEAN_WORDS: Final = frozenset(listed("average avg mean median"))
SHARE_WORDS: Final = frozenset(listed("share percentage percent proportion rate"))
FIGURE_WORDS: Final = COUNT_WORDS | SUM_WORDS | MEAN_WORDS | SHARE_WORDS
"""What a figure is called: how many there are, what they come to, their mean, their part of all."""

ATTRIBUTES_OF_ONE: Final = frozenset(
    listed("age height weight price salary year date length rank rating score income size")
)
"""What single things have: a column of it counts none of them."""

ENDS: Final = {
    "open": frozenset({"closed", "resolved", "solved", "completed", "finished"}),
    "active": frozenset(
        {
            "closed",
            "ended",
            "end",
            "canceled",
            "cancelled",
            "left",
            "leave",
            "leaving",
            "terminated",
            "deleted",
            "deactivated",
            "churned",
            "termination",
        }
    ),
    "current": frozenset({"ended", "end", "left", "leave", "leaving", "terminated", "until", "termination"}),
    "ongoing": frozenset({"ended", "end", "finished", "completed", "resolved", "closed"}),
    "outstanding": frozenset({"paid", "settled", "returned"}),
    "pending": frozenset({"completed", "processed", "approved", "resolved"}),
    "unresolved": frozenset({"resolved", "solved", "closed"}),
    "unsolved": frozenset({"resolved", "solved", "closed"}),
    **dict.fromkeys(("living", "alive"), frozenset({"deceased", "died", "death", "dead"})),
}
"""What goes on → the times that say that it has ended."""
EXPIRED: Final = frozenset({"expired", "lapsed"})
"""What is said of a thing whose last day lies before today."""
OVER: Final = {
    "closed": frozenset({"closed", "closing", "end", "ended", "termination"}),
    "ended": frozenset({"end", "ended", "termination"}),
    "terminated": frozenset({"termination", "terminated", "end", "ended"}),
    "discontinued": frozenset({"discontinued", "end", "ended"}),
    **dict.fromkeys(EXPIRED, frozenset(listed("expires expiry expiration expire until end ended ends"))),
    "gone": frozenset(listed("left leave leaving departed terminated termination resigned quit exit")),
    "decommissioned": frozenset({"decommissioned", "retirement", "retired", "end", "ended"}),
}
"""What has ended → the times that say when."""
OUTCOMES: Final = frozenset(
    listed(
        """
        returned refunded cancelled canceled rejected disputed approved declined denied accepted confirmed
        completed archived suspended blocked banned abandoned verified resolved expired failed deleted removed
        terminated dismissed withdrawn escalated flagged
        """
    )
)
"""What became of a thing: an answer that does not read it is of all things, whatever became of them."""
IRREGULAR_VERBS: Final = {
    form: base
    for base, *forms in (
        listed("sell selling sold"),
        listed("buy buying bought"),
        listed("spend spending spent"),
        listed("pay paying paid"),
        listed("make making made"),
        listed("take taking took taken"),
        listed("give giving gave given"),
        listed("write writing wrote written"),
        listed("send sending sent"),
        listed("bring bringing brought"),
        listed("hold holding held"),
        listed("keep keeping kept"),
        listed("lead leading led"),
        listed("see seeing saw seen"),
        listed("leave leaving left"),
        listed("begin beginning began begun"),
        listed("win winning won"),
        listed("lose losing lost"),
        listed("build building built"),
        listed("teach teaching taught"),
        listed("sing singing sang sung"),
        listed("speak speaking spoke spoken"),
        listed("drive driving drove driven"),
        listed("fly flying flew flown"),
        listed("wear wearing wore worn"),
        listed("choose choosing chose chosen"),
    )
    for form in forms
}
"""Forms of verbs that no ending tells → the verb."""
EVENTS: Final = {
    "sold": ("sale", "order", "line", "item", "purchase", "transaction", "invoice"),
    "bought": ("purchase", "order", "sale", "invoice", "transaction"),
    "buy": ("purchase", "order", "sale", "invoice", "transaction"),
    "purchased": ("purchase", "order", "sale", "invoice"),
    "ordered": ("order", "line", "item"),
    "paid": ("payment", "invoice"),
    "visited": ("visit", "appointment", "encounter"),
    "seen": ("visit", "appointment", "encounter"),
    "treated": ("treatment",),
    "booked": ("booking", "reservation", "appointment"),
    "rented": ("rental",),
    "borrowed": ("loan", "checkout", "circulation"),
    "returned": ("return", "refund"),
    "refunded": ("refund",),
    "reviewed": ("review", "rating"),
    "rated": ("rating", "review"),
    "used": ("use", "usage"),
    "enrolled": ("enrollment", "registration"),
    "attended": ("attendance", "participation"),
    "shipped": ("shipment",),
    "logged": ("login", "session"),
    "applied": ("application",),
    "submitted": ("submission", "application"),
    "delivered": ("delivery", "shipment"),
    "invoiced": ("invoice",),
    "trained": ("training",),
    "interviewed": ("interview",),
    "stayed": ("stay", "booking", "reservation"),
    "played": ("match", "game"),
    "assigned": ("assignment",),
    "subscribed": ("subscription",),
    "prescribed": ("prescription",),
    "billed": ("bill", "invoice"),
    "charged": ("charge",),
    "let": ("lease", "tenancy", "letting", "rental"),
    "leased": ("lease", "rental", "contract"),
    "hired": ("rental", "hire", "booking"),
    "inspected": ("inspection",),
    "serviced": ("service", "maintenance", "repair"),
    "repaired": ("repair", "maintenance", "service"),
    "maintained": ("maintenance", "service"),
    "audited": ("audit",),
    "tested": ("test", "exam"),
    "examined": ("examination", "exam"),
    "diagnosed": ("diagnosis",),
    "admitted": ("admission", "stay", "encounter"),
    "vaccinated": ("vaccination", "immunization"),
    "donated": ("donation", "gift"),
    "pledged": ("pledge",),
    "transferred": ("transfer",),
    "promoted": ("promotion",),
    "insured": ("policy", "insurance"),
    "claimed": ("claim",),
    "fined": ("fine", "penalty"),
    "cited": ("citation",),
    "watched": ("view", "viewing", "watch"),
    "viewed": ("view",),
    "streamed": ("stream", "play"),
    "downloaded": ("download",),
    "commented": ("comment",),
    "called": ("call",),
    "contacted": ("contact", "activity", "call"),
    "worked": ("shift", "timesheet"),
    "quoted": ("quote", "quotation"),
    "produced": ("production",),
    "manufactured": ("production",),
    "scrapped": ("scrap",),
    "checked": ("check", "checkin", "inspection"),
}
"""What was done → words of tables whose rows record it."""

ASKED: Final = {
    "how old": "age",
    "how long": "length|duration|time",
    "how tall": "height",
    "how high": "height|elevation",
    "how heavy": "weight",
    "how large": "size|area|population",
    "how big": "size|area|population",
    "how far": "distance",
    "how fast": "speed",
    "how expensive": "price|cost",
    "where be": "location|place|address|street|city",
}
"""question opening → the attribute it asks for."""
