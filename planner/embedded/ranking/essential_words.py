"""Words without a place that bear on what is asked for: an answer without them is another question's.

Owns: which words they are, by where they stand. 'How many orders were late?' asks for less than all orders;
'which colour of car' asks for colours; 'speak' of 'countries that speak Chinese' only ties together what has
its place.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from askwire.language.closeness import is_word
from askwire.language.lexicon import ENDS, EVENTS, FUNCTION_WORDS, OUTCOMES, SOFT_WORDS
from askwire.language.text import PARTICIPLE, Token, listed
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.linking.implicit_columns import LATE

_BE: Final = frozenset(
    {"be", "have", "get", "not", "never", "already", "yet", "ever", "currently", "still", "also"}
)
_AFTER: Final = frozenset(listed("? . ! ; , yet already so still again and or but that which who"))
_ASKING: Final = frozenset({"which", "what", "whose"})
_BEFORE_ASKING: Final = frozenset(
    listed(". ? ! : ; , and or in of for on from at to by with me us tell show")
)
_BY: Final = frozenset({"by", "per"})
_EACH: Final = frozenset({"the", "their", "its", "each", "every"})
_DIVIDING: Final = frozenset(listed("result type kind group rank title value record"))
"""Nouns among the words of structure, by which things may be told apart."""
_PASSED: Final = frozenset(listed("be the a all of our different distinct do"))
_DENYING: Final = frozenset(listed("not no never none neither nor without except excluding"))
_NOT_DOING: Final = frozenset(
    listed(
        """
        skip skipped skipping miss missed missing lack lacked lacking avoid avoided avoiding omit omitted
        bypass bypassed forget forgot forgotten neglect neglected refuse refused decline declined fail failed
        """
    )
)
"""Verbs that deny what stands behind them: who skipped a stage was never in it."""
_BEATING: Final = frozenset(
    listed(
        """
        beat beats beating exceed exceeds exceeded exceeding surpass surpasses surpassed outperform
        outperforms outperformed underperform underperformed
        """
    )
)
"""Verbs that compare two figures, of which one may not be said: who beat a quota is not who has one."""
_REACHING: Final = frozenset(listed("meet meets met meeting hit hits reach reached achieve achieved"))
_AIMS: Final = frozenset(listed("quota target goal budget plan forecast deadline sla"))
_STILL: Final = frozenset({"currently", "presently", "still"})
_MEANWHILE: Final = frozenset(listed("already since now not just ever never"))
_BEHIND_LEFT: Final = frozenset(listed("us by per in for from since during before after this last and who"))
_STATES: Final = frozenset(listed("open closed shipped delivered paid sent signed"))
"""Verbs as well ('the shop opened'), but 'are still open' says how things stand."""
_OF_ALL: Final = frozenset(
    listed(
        """
        recorded reported observed measured listed given specified described mentioned named called known
        registered employed hired born created founded built made placed held performed published produced
        provided offered ordered combined related associated stored displayed detailed requested
        """
    )
)
"""Participles that hold of every row: 'all registered customers', 'the recorded sales'."""
_DOERS: Final = frozenset(listed("who that which we they you i he she it has have had did do does s"))
_TIMELY: Final = LATE | {"early"}
"""How something was done, where it ends a clause: 'returned late'."""
_DEGREES: Final = frozenset(
    listed(
        """
        late early recent new old big large small long short high low great good bad expensive cheap slow fast
        open closed broken successful failed overdue
        """
    )
)
"""Adjectives that tell some rows from others: who has no late order may have orders."""
_GRAVE: Final = frozenset(listed("severe serious critical urgent major minor fatal mild"))
"""Adjectives that always tell: no row is called severe for nothing."""
_THOSE: Final = frozenset(listed("the those these ones one any all that who which have has with"))
_BEFORE_VALUES: Final = frozenset(listed("in to from for by of at with"))
"""Behind these a word that is a value here says which are meant: 'sales to kids'."""
_NONE: Final = frozenset(listed("without no none nothing zero zeros 0 empty unused"))
_MAX_TOKENS_BEHIND: Final = 5
"""Tokens within which the question says what rows to be added lack."""
_MAX_TOKENS_BEFORE: Final = 3
"""Tokens within which a denial stands before what it denies."""
_MIN_BASE_LENGTH: Final = 3
_NOUNS: Final = frozenset(
    listed(
        """
        conquest contest digest earnest everest forest guest harvest honest interest manifest priest protest
        request tempest
        """
    )
)
"""Words in -est that are no superlatives."""
_COMPARING: Final = frozenset(
    listed(
        """
        more less fewer over under above below before after since between older newer later earlier than vs
        versus
        """
    )
)


def bearing(
    encoded: EncodedQuestion,
    uncovered: Collection[str],
    unused: Collection[int] = (),
    used: Collection[int] = (),
    *,
    of_all: bool = False,
    unrestricted: bool = False,
    endless: bool = False,
) -> list[str]:
    """The words among those `uncovered` that the answer cannot do without.

    `unused` are tokens that were linked to what the answer does not read, `used` those linked to what it
    does. An answer `of_all` restricts nothing: 'how many customers smoke' is then not answered by how many
    there are. Nor is 'which orders are still open' by all of them, `unrestricted`, or 'have left per site'
    by what reads no time that ends something, `endless`.
    """
    tokens = encoded.tokens
    without: list[str] = []
    missing = set(uncovered)
    named = {m.end for m in encoded.mentions if m.start >= 0 and m.options and m.options[0].table}
    begun = {m.start for m in encoded.mentions if m.start >= 0 and m.options and m.options[0].table}
    timely = {at for at, token in enumerate(tokens) if token.lower in _TIMELY}
    linked = {*used, *(at for m in encoded.mentions for at in range(m.start, m.end))}
    told = {at - 1 for at in begun if at - 1 not in linked and _tells(tokens, at - 1, missing)}
    told |= {at for at in encoded.plain if _adds_those_without(tokens, at)}
    told |= {at for at in range(1, len(tokens)) if unrestricted and _stands_now(tokens, at)}
    told |= {at for at in encoded.plain if tokens[at].text in missing and tokens[at].lower in OUTCOMES}
    told |= {at for at in encoded.plain if tokens[at].text in missing and _was_done_by(tokens, at)}
    told |= {at for at in encoded.passed if at + 1 in begun and of_all}  # 'single rooms'
    ends = {v.end for v in encoded.values}
    told |= {at for at in encoded.plain if at + 1 in begun and _is_listed(tokens, at, ends)}
    told |= {
        at - 1
        for at in begun
        if at - 1 not in linked and _tells_which(tokens, at - 1, linked, missing, unrestricted=unrestricted)
    }
    told |= {at for at in unused if _is_predicate(tokens, at)}
    if unrestricted and not of_all:  # nothing is compared: 'that cost more to make than they sell for'
        told |= {
            at for at in encoded.plain if tokens[at].lower == "than" and tokens[at - 1].lower != "rather"
        }
    left = {at for at in range(1, len(tokens)) if at not in used and _has_left(tokens, at)}
    told |= {at for at in left if unrestricted or (endless and _is_gone(tokens, at))}
    if unrestricted:
        told |= {at for at in range(1, len(tokens)) if tokens[at].text in missing and _no_longer(tokens, at)}
        states = {at for at, token in enumerate(tokens) if token.lower in _STATES} - begun
        states -= {at for at in used if _is_done(tokens[at])}  # 'until it is paid', by when it was
        told |= {at for at in states if at + 1 in begun}
        told |= {at for at in states if at and tokens[at - 1].lemma in _BE and _closes(tokens, at)}
    for at in sorted({*encoded.plain, *unused, *timely, *told}):
        token = tokens[at]
        said = token.text in missing or at in unused or (unrestricted and token.lower in _STATES)
        said = said or at in told
        if not said or token.kind not in {"word", "date"}:
            continue
        marked = (
            token.kind == "date"
            or token.lower in _DENYING | _COMPARING | _NOT_DOING | _BEATING
            or _reaches(tokens, at)
            or is_superlative(token.lower)
            or _compares(tokens, at)
        )
        done = (token.lower in _TIMELY or (of_all and at in named)) and _closes(tokens, at)
        done = done or (token.lower in _TIMELY and at > 0 and _is_done(tokens[at - 1]))
        if unrestricted and token.lower in _STATES:
            stands = at > 0 and tokens[at - 1].lemma in _BE and _closes(tokens, at)
            done = done or stands or at + 1 in begun  # 'are still open', 'the open orders'
        placed = _divides(tokens, at, named) or _ends_clause(tokens, at) or _is_measured(tokens, at)
        placed = placed or (at in encoded.passed and tokens[at - 1].lower in _BEFORE_VALUES)
        placed = placed or (of_all and _is_a_place(tokens, at))
        if marked or done or placed or at in told or (at not in unused and _is_asked_for(tokens, at)):
            without.append(token.text)
    return without


def is_superlative(word: str) -> bool:
    """Whether a word is an adjective in its highest degree: 'happiest', of which no column need be known."""
    base = word.removesuffix("est")
    if base == word or len(base) < _MIN_BASE_LENGTH or word in _NOUNS:
        return False
    forms = {base, base + "e", base[:-1] if base[-1:] == base[-2:-1] else base}
    return is_word(base[:-1] + "y") if base.endswith("i") else any(map(is_word, forms))


def _tells(tokens: tuple[Token, ...], at: int, missing: Collection[str]) -> bool:
    """'without late orders', 'unpaid invoices', 'inactive users': which, of which nothing is known."""
    if at < 0:
        return False
    word = tokens[at].lower
    denied = word in _DEGREES and any(
        t.lower in _DENYING for t in tokens[max(0, at - _MAX_TOKENS_BEFORE) : at]
    )
    done = word.removeprefix("un")
    undone = done != word and PARTICIPLE.fullmatch(done) is not None and is_word(done)
    undone = undone or word in {"overdue", "late"} | _GRAVE or word.removeprefix("in") in ENDS
    return denied or (undone and tokens[at].text in missing)


def _tells_which(
    tokens: tuple[Token, ...],
    at: int,
    linked: Collection[int],
    missing: Collection[str],
    *,
    unrestricted: bool,
) -> bool:
    """'archived customers', 'sold products': a participle before its noun tells which are meant.

    Behind a noun or 'who' it is what they did: 'customers who reviewed products'.
    """
    word = tokens[at].lower if at >= 0 else ""
    if PARTICIPLE.fullmatch(word) is None or word in _OF_ALL:
        return False
    if at and (at - 1 in linked or tokens[at - 1].lower in _DOERS or tokens[at - 1].lemma in _BE):
        return False
    return tokens[at].text in missing or (unrestricted and word in EVENTS)


def _is_listed(tokens: tuple[Token, ...], at: int, ends: Collection[int]) -> bool:
    """'free kick and headed goals': what stands beside a value says which as well, and is not known."""
    return tokens[at - 1].lower in {"and", "or"} and at - 1 in ends


def _was_done_by(tokens: tuple[Token, ...], at: int) -> bool:
    """'how many fees did we waive': not done with all there are, as what is sold or made is."""
    asked = (
        at > 1 and tokens[at - 2].lemma in {"do", "have"} and tokens[at - 1].lower in {"we", "they", "you"}
    )
    return asked and not {tokens[at].lower, tokens[at].lemma} & (SOFT_WORDS | FUNCTION_WORDS)


def _no_longer(tokens: tuple[Token, ...], at: int) -> bool:
    """'are no longer with us': an answer that does not tell when it ended is of those who are."""
    return [t.lower for t in tokens[at - 1 : at + 1]] == ["no", "longer"]


def _has_left(tokens: tuple[Token, ...], at: int) -> bool:
    """'which employees have left': not those that are there."""
    before = next((t.lower for t in reversed(tokens[:at]) if t.lower not in _MEANWHILE), "")
    return tokens[at].lower == "left" and before in {"has", "have", "had"}


def _is_gone(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether nothing is left behind, as a review is by 'customers who have left a review'."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return behind is None or behind.kind == "punct" or behind.lower in _BEHIND_LEFT


def _stands_now(tokens: tuple[Token, ...], at: int) -> bool:
    """'currently employed', 'are still open': not all are, whatever was once done with all of them."""
    word = tokens[at].lower
    state = word in _STATES or word in ENDS or PARTICIPLE.fullmatch(word) is not None
    return state and tokens[at - 1].lower in _STILL


def _is_predicate(tokens: tuple[Token, ...], at: int) -> bool:
    """'results that were abnormal', 'how many were abnormal per test': what the rows are, and not done."""
    return at > 0 and tokens[at - 1].lemma == "be" and not _is_done(tokens[at])


def _adds_those_without(tokens: tuple[Token, ...], at: int) -> bool:
    """', including those without orders', where nothing has read it: it leaves out none."""
    if at == 0 or tokens[at].lower not in {"including", "include", "also", "even"}:
        return False
    behind = [t.lower for t in tokens[at + 1 : at + 1 + _MAX_TOKENS_BEHIND]]
    end = next((n for n, word in enumerate(behind) if word in _NONE), None)
    return end is not None and sum(word not in _THOSE for word in behind[:end]) <= 1


def _is_done(token: Token) -> bool:
    """Whether a word is a participle: 'delivered late to Ohio' says how it was delivered."""
    return PARTICIPLE.fullmatch(token.lower) is not None


def _reaches(tokens: tuple[Token, ...], at: int) -> bool:
    """'who met their target': not all who have one."""
    aimed = any(t.lemma in _AIMS for t in tokens[at + 1 : at + 1 + _MAX_TOKENS_BEFORE])
    return tokens[at].lower in _REACHING and aimed


def _compares(tokens: tuple[Token, ...], at: int) -> bool:
    """'longer than', 'pricier than': an adjective in its comparative."""
    behind = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    return behind == "than" and tokens[at].lower.endswith("er")


def _divides(tokens: tuple[Token, ...], at: int, named: Collection[int]) -> bool:
    """'by age', 'per passenger age': what an answer is to be told apart by."""
    if {tokens[at].lower, tokens[at].lemma} & FUNCTION_WORDS and tokens[at].lemma not in _DIVIDING:
        return False
    place = at - 1 - (at in named)
    while place >= 0 and tokens[place].lower in _EACH:
        place -= 1
    return place >= 0 and tokens[place].lower in _BY


def _is_measured(tokens: tuple[Token, ...], at: int) -> bool:
    """'profit per category': a figure of each, and not what was done ('calls taken per agent')."""
    if {tokens[at].lower, tokens[at].lemma} & (FUNCTION_WORDS | SOFT_WORDS) or _is_done(tokens[at]):
        return False
    behind = [token.lower for token in tokens[at + 1 : at + 3]]
    opens = all({t.lower, t.lemma} & (FUNCTION_WORDS | SOFT_WORDS) for t in tokens[:at])
    return (
        behind[:1] == ["per"]
        or (opens and behind[:1] == ["by"])
        or (behind[:1] == ["for"] and behind[1:] in (["each"], ["every"]))
    )


def _is_a_place(tokens: tuple[Token, ...], at: int) -> bool:
    """'how many flights to Springfield': not all there are, though nothing is known of it."""
    if {tokens[at].lower, tokens[at].lemma} & (FUNCTION_WORDS | SOFT_WORDS):
        return False
    return at > 0 and tokens[at - 1].lower in {"to", "from"}


def _closes(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether nothing stands behind a word in its clause."""
    return (tokens[at + 1].lower if at + 1 < len(tokens) else "?") in _AFTER


def _ends_clause(tokens: tuple[Token, ...], at: int) -> bool:
    """'orders that were late', 'is it paid yet': what is said of the thing, with nothing behind it."""
    return at > 0 and tokens[at - 1].lemma in _BE and _closes(tokens, at)


def _is_asked_for(tokens: tuple[Token, ...], at: int) -> bool:
    """'which colour of car …': the thing itself that is asked for."""
    word = tokens[at]
    if {word.lower, word.lemma} & FUNCTION_WORDS:
        return False
    place = at - 1
    while place >= 0 and tokens[place].lemma in _PASSED:
        place -= 1
    if place < 0 or tokens[place].lower not in _ASKING | {"who"}:
        return False
    if tokens[place].lower == "who" and place == at - 1:
        return False  # 'who gave …': what was done; 'who is the president …': what is asked for
    if place and tokens[place - 1].lower not in _BEFORE_ASKING:
        return False  # 'nations which are …': which of them, not what is asked for
    return word.lower not in SOFT_WORDS or place == at - 1
