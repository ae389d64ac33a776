"""Words of trade: what was spent, earned, sold and looked after, read as the columns that hold it.

Owns: rewritings of a question's tokens, as `paraphrases` has them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.options import AMOUNT_PARTS
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.linking.units import last_word
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_LOOKING_VERBS: Final = frozenset(listed("look looks looked looking"))
_TAKING: Final = frozenset(listed("take takes took taking"))
_CARING_PHRASES: Final[tuple[tuple[frozenset[str], ...], ...]] = (
    (_LOOKING_VERBS, frozenset({"after"})),
    (_TAKING, frozenset({"care"}), frozenset({"of"})),
    (frozenset({"is", "are"}), frozenset({"responsible"}), frozenset({"for"})),
)
"""What says that somebody has customers or patients to see to."""
_BRINGING_VERBS: Final = frozenset(listed("bring brings brought bringing pulls pulled rakes raked"))
_EARNING_VERBS: Final = frozenset(
    listed("make makes made earn earns earned generate generates generated take takes took")
)
_REPRESENTATIVE_NOUNS: Final = frozenset({"rep", "representative", "agent"})
_SELLERS: Final = frozenset({("salesperson",), ("salesman",), ("seller",), ("sale", "person"), ("salesrep",)})
_SALESMEN: Final = frozenset(listed("salesperson salespersons salespeople salesman salesmen seller sellers"))
_AMOUNTS: Final = frozenset({"amount", "amounts"})
_REVENUE: Final = frozenset({"sales", "revenue", "turnover"})
_COLLECTIVE_NOUNS: Final = frozenset({"staff", "crew", "personnel", "faculty", "cast"})
_SPENDING: Final = frozenset(listed("spend spending spendings expenditure spent"))
_BEFORE_SPENDING: Final = frozenset(listed("by total average highest lowest overall mean customer their"))
_SPEND: Final = frozenset({"spend", "spent"})
_HOW_MUCH: Final = frozenset(listed("the most least more less over under at on above below between"))
_SELLING_WORDS: Final = frozenset(listed("sell sells sold selling"))
_TRADE_VERBS: Final = frozenset(listed("sell sold earn earned make made bill billed charge charged"))
_OWN_AMOUNTS: Final = frozenset({"amount", "total", "value"})
_LONG_KIND: Final = 4
"""Words before and of what money came from: 'the delivered web orders'."""
_PRONOUNS: Final = frozenset(listed("we they you"))


def spending(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'guests by spend' → 'guests by revenue', where nothing is called so: what they spend is taken in."""
    return tuple(
        new_tokens.word("revenue", token)
        if at
        and token.lower in _SPENDING
        and tokens[at - 1].lower in _BEFORE_SPENDING
        and not (token.lower in _SPEND and at + 1 < len(tokens) and tokens[at + 1].lower in _HOW_MUCH)
        and not {token.lower, token.lemma} & index.by_word.keys()
        else token
        for at, token in enumerate(tokens)
    )


def most_money(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the album that made us the most money' → 'the album that earned the most revenue'.

    'who spent the most money' → 'who spent the most': Money may be what a song is called.
    """
    at = next((at for at in range(2, len(tokens)) if tokens[at].lower in {"money", "cash"}), 0)
    if not at or tokens[at - 1].lower not in {"most", "least"}:
        return tokens
    start = at - 1 - (tokens[at - 2].lower == "the")
    verb = start - 1 - (tokens[start - 1].lower in {"us", "them"})
    if verb < 1 or tokens[verb].lower not in _EARNING_VERBS:
        return (*tokens[:at], *tokens[at + 1 :])
    earned, revenue = new_tokens.word("earned", tokens[verb]), new_tokens.word("revenue", tokens[at])
    return (*tokens[:verb], earned, *tokens[start:at], revenue, *tokens[at + 1 :])


def sellers(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'sales reps' and 'salespeople' → 'salesperson', where a table is called so and nothing 'rep'."""
    named = next((t.words[0] for t in index.tables if t.words in _SELLERS and t.role is None), None)
    if named is None:
        return tokens
    found: list[Token] = []
    for token in tokens:
        behind_sales = bool(found) and found[-1].lower in {"sales", "sale"}
        if token.lower in _SALESMEN and token.lemma not in index.by_word:
            found.append(new_tokens.word(named, token))
        elif behind_sales and token.lemma in _REPRESENTATIVE_NOUNS | {"people", "person"}:
            if token.lemma in index.by_word and token.lemma != "person":
                return tokens
            found[-1] = new_tokens.word(named, token)
        else:
            found.append(token)
    return tuple(found)


def sales_amount(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'total sales amount', 'total amount of sales' → 'total sales', where no column is called so."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        before = found[-1] if found else None
        if (
            before
            and token.lower in _AMOUNTS
            and before.lower in _REVENUE
            and not _both(index, before, token)
        ):
            continue
        amount = [t.lower for t in found[-2:]]
        if token.lower in _REVENUE and len(amount) == 2 and amount[0] in _AMOUNTS and amount[1] == "of":
            total = len(found) > 2 and found[-3].lower in {"total", "overall", "average"}
            behind = tokens[at + 1].lower if at + 1 < len(tokens) else ""
            if total and behind not in {"tax", "price"} and not _both(index, found[-2], token):
                del found[-2:]
        found.append(token)
    return tuple(found)


def _both(index: SchemaIndex, first: Token, second: Token) -> bool:
    """Whether the name of one column holds both words."""
    return any({first.lemma, second.lemma} <= set(c.full) for c in index.columns)


def on_hand(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the quantity on hand' → 'the quantity in stock'."""
    for at in range(1, len(tokens)):
        if tokens[at].lower == "hand" and tokens[at - 1].lower == "on":
            stock = (new_tokens.word("in", tokens[at - 1]), new_tokens.word("stock", tokens[at]))
            return (*tokens[: at - 1], *stock, *tokens[at + 1 :])
    return tokens


def taken_in(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'brings in the most money' → 'earned the most revenue', 'staff member' → 'staff'."""
    found: list[Token] = []
    taken = False
    for token in tokens:
        before = found[-1].lower if found else ""
        if token.lower == "in" and before in _BRINGING_VERBS:
            found[-1] = new_tokens.word("earned", found[-1])
            taken = True
        elif taken and token.lower in {"money", "cash"}:
            found.append(new_tokens.word("revenue", token))
        elif token.lower in {"member", "members"} and before in _COLLECTIVE_NOUNS:
            continue
        else:
            found.append(token)
    return tuple(found)


def amount_of_money(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the total amount of money paid' → 'the total amount paid'."""
    said = [t.lower for t in tokens]
    for at in range(len(tokens) - 2):
        if said[at : at + 3] == ["amount", "of", "money"]:
            return (*tokens[: at + 1], *tokens[at + 3 :])
    return tokens


def caring(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'customers that each rep looks after' → 'customers that each rep has', but for who does it."""
    said = [t.lower for t in tokens]
    for wording in _CARING_PHRASES:
        for at in range(1, len(tokens) - len(wording) + 1):
            cares = all(word in forms for word, forms in zip(said[at:], wording, strict=False))
            if cares and said[at - 1] != "who":
                has = replace(new_tokens.word("have", tokens[at]), lemma="have")
                return (*tokens[:at], has, *tokens[at + len(wording) :])
    return tokens


def sells_best(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'which categories sell best' → 'which best selling categories'."""
    start = next((at for at, t in enumerate(tokens) if t.lower not in new_tokens.REQUESTS), len(tokens))
    at = new_tokens.place_of(tokens, start + 1, _SELLING_WORDS)
    if (
        not start < at < len(tokens) - 1
        or at - start > new_tokens.LONG_NAME
        or not new_tokens.all_words(tokens[start:at])
    ):
        return tokens
    behind = tokens[at + 1]
    if behind.lower not in {"best", "worst", "well"}:
        return tokens
    things = [t for t in tokens[start:at] if t.lower not in {"that", "which", "who", "do", "does"}]
    how = new_tokens.word("worst" if behind.lower == "worst" else "best", behind)
    return (*tokens[:start], how, new_tokens.word("selling", tokens[at]), *things, *tokens[at + 2 :])


_BEST_SELLING_BY: Final = re.compile(
    r"(?:(?:top )?(?P<few>\d+) )?(?:best|top)(?: |-)selling (?P<rest>(?:(?!by |with )[^,.?;]+ )?by )"
    r"(?=(?:total )?(?:(?P<pieces>quantity|units|copies)(?! sold| ordered| in )|\w+)\b)"
    r"(?=(?:total|number|quantity|units|revenue|sales|copies|amount|value)\b)"
)


def best_by(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'10 best-selling books of 2023 by revenue' → 'top 10 books of 2023 by revenue'.

    'the best-selling book by quantity' → 'the top book by quantity sold': it is none in stock.
    """
    line = new_tokens.line(tokens)
    found = _BEST_SELLING_BY.search(line)
    if found is None:
        return tokens
    start, rest = (line.count(" ", 0, at) for at in (found.start(), found.start("rest")))
    few = tokens[(at := line.count(" ", 0, found.start("few"))) : at + 1] if found["few"] else ()
    ranked = tokens[rest:]
    if found["pieces"]:
        pieces = line.count(" ", 0, found.start("pieces")) + 1
        ranked = (*tokens[rest:pieces], new_tokens.word("sold", tokens[pieces - 1]), *tokens[pieces:])
    return (*tokens[:start], new_tokens.word("top", tokens[start]), *few, *ranked)


_TAKEN_FROM: Final = re.compile(
    r"(?:how much|what)(?: money| cash| income)? (?:(?:did|do|does|have|has) (?:we|they|you|i) (?:ever )?"
    r"(?:earned|earn|make|made|take in|take|taken in|taken|get|got|bring in|brought in|pull in|cash in"
    r"|collect|collected|receive|received|gain|gained) ?(?:from|with|on|through|in|by|off)"
    r"|(?:came|comes|come|has come|was coming|flowed) in (?:from|through|with|by)"
    r"|(?:was|were|is|has been) (?:made|earned|taken in|brought in) (?:from|with|through|by|on|in)"
    r") (?!total|all in|the (?:last|past|first)|last|this|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|q\d|\d)"
)


def taken_from(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'how much did we take in from orders', 'what came in from them' → 'how much came in from orders'.

    What has no amount of its own brings in revenue: 'total revenue from products'. Only what a table holds
    brings money in like this: 'how much did we make in Berlin' is of no rows there.
    """
    found = _TAKEN_FROM.match(new_tokens.line(tokens))
    if found is None:
        return tokens
    rest = tokens[found[0].count(" ") :]
    named = [index.by_word.get(t.lemma, new_tokens.NO_ELEMENTS)[0] for t in rest[:_LONG_KIND]]
    held = [index.tables[min(n, key=lambda t: (len(index.tables[t].words), t))] for n in named if n]
    if not held:
        return tokens
    own = any(_is_amount(index.columns[c]) for table in held for c in table.columns)
    said = ("how", "much", "came", "in", "from") if own else ("total", "revenue", "from")
    return (*(new_tokens.word(w, tokens[0]) for w in said), *rest)


def _is_amount(column: ColumnEntry) -> bool:
    whole = last_word(column) in _OWN_AMOUNTS and not AMOUNT_PARTS & {*column.full}
    return whole and column.kind == "number" and not column.key


def how_much_earned(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how much did we sell in 2023' → 'total revenue in 2023', 'how much tax did we pay' → 'total tax'.

    'how much money did Ann spend' → 'how much did Ann spend'.
    """
    if [t.lower for t in tokens[:2]] != ["how", "much"]:
        return tokens
    did = new_tokens.place_of(tokens, 2, {"did", "do", "does", "have", "has"})
    they = tokens[did + 1].lower in _PRONOUNS if did + 2 < len(tokens) else False
    if not they and did + 2 < len(tokens) and [t.lower for t in tokens[2:did]] == ["money"]:
        return (*tokens[:2], *tokens[did:])  # 'how much money did Ann spend'
    if not they or did > new_tokens.LONG_NAME or (did > 2 and not new_tokens.all_words(tokens[2:did])):
        return tokens
    what = [t for t in tokens[2:did] if t.lower not in {"money", "of"}]
    if what:
        return (new_tokens.word("total", tokens[0]), *what, *tokens[did + 3 :])
    if tokens[did + 2].lower not in _TRADE_VERBS:
        return tokens
    return (new_tokens.word("total", tokens[0]), new_tokens.word("revenue", tokens[1]), *tokens[did + 3 :])
