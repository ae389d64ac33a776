"""Wordings that mean one symbol: 'how many' COUNT, 'at least' GE, 'the largest number of' MAXCOUNT.

Owns: the patterns, in the order in which they rewrite a line. Patterns are linear: no nested
repetition, so that a long question costs no more than its length.
"""

from __future__ import annotations

import re
from typing import Final

_OF_ROWS: Final = r"(?= (?:[\w']+ ){0,3}M\d| V\d+ (?![?.]))"
"""What a share is of: a name near by, or a value of which more is said ('movies that …')."""

REWRITES: Final = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), text)
    for pattern, text in (
        (r"^((?:[MV]\d+ )*M\d+(?: (?:in|for|of|by|from|with))*(?: [NDVM]\d+)*) count$", r"COUNT \1"),
        # 'order total by country', 'customer count by country'
        (r"(?<!of )(M\d+) total(?= (?:by|per|for each|in each|for every|come) )", r"\1 SUM"),
        (r"(?<!of )(M\d+) count(?= (?:by|per|for each|in each|for every|in every) )", r"COUNT \1"),
        (r"^(M\d+)(?: (?:sort|sorted|ordered|rank|ranked))? by frequency$", r"COUNT per \1 O_COUNT_DOWN"),
        (r",? ?(?:most|MOST|MAX~(?:large|big|high|many)|large|high|big) first", "O_COUNT_DOWN"),
        (r",? ?(?:fewest|least|LEAST|MIN~(?:small|low)|small|low|few) first", "O_COUNT_UP"),
        (r"(N\d+) (?:dollar|euro|usd|eur|buck)", r"\1"),
        (r"(?:(?:MAX~high|MAX~good|top) |(?:highest|best|top)-)(paid|earning)", r"MAX~\1"),
        (r"(?:(?:MIN~low|MIN~bad|least) |(?:lowest|worst|least)-)(paid|earning)", r"MIN~\1"),
        (r"from (?:the )?MOST to (?:the )?(?:MIN|LEAST)~(\w+)", r"from MAX~\1 to MIN~\1"),
        (r"from (?:the )?(?:most|MOST) to (?:the )?least (\w+)", r"from MAX~\1 to MIN~\1"),
        (r"from (?:the )?(?:least|LEAST) to (?:the )?most (\w+)", r"from MIN~\1 to MAX~\1"),
        (
            r"(have|with|earn) the GT(?:~(?:high|large|big))?(?= M\d+(?: (?:be|in) [VD]\d+)* ?(?:$|\?))",
            r"\1 MAX",
        ),
        (r"no GT~long|not (?:\w+ )?any ?more", "not"),
        (r"(N\d+) MAX~good (?:selling|sold)(?= M\d+ by)", r"\1"),
        (r"(?:split|broken (?:down|out)|segmented|subdivided)(?: up)? by", "group by"),
        (r"(?:the )?(?:total|sum of) (daily|weekly|monthly|quarterly|yearly|annual)(?= M\d)", r"\1 SUM"),
        (
            r"((?:GT|LT|GE|LE|EQ)(?:~\w+)?(?: than)? N\d+) (?:hour|minute|second|kilometer|km|meter|mile|kg|"
            r"kilogram|pound|ton|mw|megawatt|liter)",
            r"\1",
        ),
        (
            rf"(?:what |the )*(?:percentage|percent|pct)(?: of)?(?: (?:all|the|our))*{_OF_ROWS}",
            "PERCENT",
        ),
        (
            rf"(?:what |the )*(?:share|proportion|fraction) of(?: (?:all|the|our))*{_OF_ROWS}",
            "SHARE",
        ),
        (r"(?:which|what)(?: be)?(?: the)? rarest|(?:the )?rarest|(?:the )?MAX~rare", "LEAST common"),
        (r"MAX~good (AVG|average|mean)", r"MAX AVG"),
        (r"MIN~bad (AVG|average|mean)|MAX~bad (AVG|average|mean)", r"MIN AVG"),
        (r"(no|without)(?: any)? (?:known|recorded|registered|stated|specified)(?= M\d)", r"\1"),
        (r"(?:his|her|he|she) (?:or|and|/) (?:his|her|he|she|for her)", "their"),
        (r"(?:most )recently", "MAX~recent"),
        (r"in terms? of|with respect to|based on|measured by|ranked by", "by"),
        (r"best[- ]?selling", "MOST ordered"),
        (
            (
                r"(?<!M\d )(?:the )?(?:(?:total|overall|combined|exact|full) )?"
                r"(?:number|count|quantity|num|no) of(?: the| all| "
                r"different(?= the))?"
            ),
            "COUNT",
        ),
        (r"(?:the )?(?:numbers|counts) of(?= (?:(?:the|all|different) )*M\d)", "COUNT"),
        (
            r"(?<!ed )(?<!use )(?<!done )(?<!taken )(?<!chosen )(?<!made )(?<!there )"
            r"(?:, )?(?:and|with) how (?:often|frequently|many times)"
            r"(?: (?:each|N\d+|it|they|one|be|do|have|come|came|up|occur|occurred|happen|happened|appear"
            r"|appeared|made|given|used|taken|reported|found|seen))*(?= ?$| [?.,])",
            "and COUNT each",
        ),
        (r"how many(?: of)?(?: the)?", "COUNT"),
        (r"COUNT (?:the )?total(?= M\d)", "COUNT"),
        (r"(?:the )?(?:(?:total|overall) )?number(?= (?:M\d+|different|distinct))", "COUNT"),
        (r"(?:the )?(?:average|mean|avg|typical)(?: value| number| amount)?(?: of)?(?: the| all)?", "AVG"),
        (r"(?:the )?(?:maximum|max)(?: value| number| amount)?(?: of)?(?: the| all)?", "MAX"),
        (r"(?:the )?(?:minimum|min)(?: value| number| amount)?(?: of)?(?: the| all)?", "MIN"),
        (
            (
                r"(?:the )?(?:total|sum|overall|combined)(?: (?:amount|sum) of)?(?: of)?(?: "
                r"the| all)?(?= M\d| V\d| COUNT| and (?:AVG|MAX|MIN))"
            ),
            "SUM",
        ),
        (r"SUM (?:COUNT )?(M\d+) count(?= ?$| [.?,]| and)", r"COUNT \1"),
        (r"(AVG|SUM) (?:COUNT|AVG|SUM)(?= (?:V\d+ ){0,2}M\d)", r"\1"),
        (
            r"((?:AVG|MAX|MIN|SUM)(?: ,)? (?:and )?(?:AVG|MAX|MIN|SUM)(?: ,)?(?: and (?:AVG|MAX|MIN|SUM))?) "
            r"COUNT",
            r"\1",
        ),
        (r"how much", "SUM"),
        (r"(N\d+) M\d+ old", r"\1 old"),
        (r"(each|every) N\d+(?! (?:[MVCND]\d|second|minute|hour|day|week|month|year))", r"\1"),  # 'each one'
        (r"(more|less|fewer|GT~\w+|LT~\w+|(?:more|less) expensive) then", r"\1 than"),
        (
            r"(top|first) (N\d+) (?:most )?(expensive|populous|experienced|populated|profitable)",
            r"\2 MAX~\3",
        ),
        (r"(?:great|greater|larg|high|more|GT~\w+) than or equal(?: to)?", "GE"),
        (r"(?:GT~\w+|more|greater) or equal(?: to)?", "GE"),
        (r"(?:LT~\w+|less|fewer) than or equal(?: to)?", "LE"),
        (r"(?:LT~\w+|less|fewer) or equal(?: to)?", "LE"),
        (r"(?:no|not) LT~(old|young|senior|long|short) than", r"GE~\1"),
        (r"(?:no|not) GT~(old|young|senior|long|short) than", r"LE~\1"),
        (r"(?:no|not) (?:less|fewer|LT~\w+) than", "GE"),
        (r"(?:no|not) (?:more|great|GT~\w+) than", "LE"),
        (r"(?:do )?not (?:exceed|surpass|above|over|GT)(?= [ND]\d)", "LE"),
        (r"not (?:below|under|LT)(?= [ND]\d)", "GE"),
        (r"non(?! V\d)", "not"),
        (r"((?:GT|LT)(?:~\w+)?(?: than)?) at least (?:one|N\d+)(?= [VM]\d)", r"\1 some"),
        (r"at least|(?<!never )(?<!not )(?:reach|reached)(?= N\d)", "GE"),
        (r"at most|up to", "LE"),
        (r"(?:more|greater) (expensive|populous|experienced|populated|productive|profitable) than", r"GT~\1"),
        (r"less (expensive|populous|experienced|populated) than", r"LT~\1"),
        (r"more((?: M\d+)+ than)", r"GT\1"),
        (r"(?:less|fewer)((?: M\d+)+ than)", r"LT\1"),
        (
            (
                r"(?:the )?most (expensive|populous|experienced|populated|productive|recent|profitable|"
                r"successful|senior|powerful|humid)"
            ),
            r"MAX~\1",
        ),
        (
            (
                r"(?:the )?least (expensive|populous|experienced|populated|productive|recent|profitable|"
                r"successful)"
            ),
            r"MIN~\1",
        ),
        (r"more than|over|above|exceed|exceeding|surpass|in excess of|beyond|exceeded|great than", "GT"),
        (r"beat(?= (?:their|its|the|his|her) M\d)", "GT"),
        (r"less than|fewer than|under|below|lower than|smaller than", "LT"),
        (r"(GT|LT)~(\w+) than", r"\1~\2"),
        (
            r"(?:on|at|in|from) or (?:after|later than)|since|(?:no|not) (?:earlier|before) than",
            "SINCE",
        ),
        (r"(?:on|at|in|by) or (?:before|prior to|earlier than)|(?:no|not) later than", "LE"),
        (r"before|prior to|earlier than|LT~early", "BEFORE"),
        (r"after|later than", "AFTER"),
        (r"(?:be )?equal(?: to)?", "EQ"),
        (r"(?:be )?(?:exactly|precisely)|only", "EQ"),
        (r"MAX~high|MAX~large|MAX~big|greatest|MAX~great", "MAX"),
        (r"MIN~low|MIN~small", "MIN"),
        (r"GT~(?:high|large|big|great)|greater|more than|GT GT", "GT"),
        (r"LT~(?:low|small)", "LT"),
        (r"the (MAX|MIN|AVG|SUM|COUNT)", r"\1"),
        (r"(GT|LT) EQ", r"\1E"),
        (r"GTE", "GE"),
        (r"LTE", "LE"),
        (r"(MAX|MIN) (?:COUNT|amount of|number of|quantity of)(?: SUM)?(?: of)?(?: the)?", r"\1COUNT"),
        (r"(MAX|MIN) COUNT(?: of)?(?: the)?", r"\1COUNT"),
        (r"(?:most|MAX~most)(?: number| amount)?(?: of)?(?: the)?", "MOST"),
        (r"(?:fewest|least|fewer)(?: number| amount)?(?: of)?(?: the)?", "LEAST"),
        (r"the (MOST|LEAST)", r"\1"),
        (r"(MOST|LEAST) COUNT", r"\1"),
        (r"as well as|along with|together with|and also|, and|and then|plus|in addition to|& ", "and"),
        (r"do not|did not|be not|have not|can not|cannot", "not"),
        (
            r"^(?:the )?(MAX|MIN) (M\d+)(?: (?:ever|measured|recorded|observed|reported|seen))*"
            r" ((?:at|in|of|for|on|from) each|per|for every|in every|by)(?= M\d)",
            r"what be \1 \2 \3",
        ),
        (
            r"in total|in all|total|altogether|overall|in the database|in our record|in record|in the record",
            "",
        ),
    )
)
