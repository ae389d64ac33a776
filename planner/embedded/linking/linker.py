"""Words of the question → tables and columns they may name.

Owns: which spans of a question name something.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.closeness import is_word
from askwire.language.lexicon import ENDS, FUNCTION_WORDS, SOFT_WORDS
from askwire.language.text import PARTICIPLE, Token, listed, stem
from askwire.planner.embedded.linking.aggregate_names import is_name
from askwire.planner.embedded.linking.conjunctions import conjoined_names
from askwire.planner.embedded.linking.options import (
    GENERIC,
    MAX_OPTIONS,
    ROUNDS_OFF,
    WEAK_ALONE,
    Option,
    Options,
)
from askwire.planner.embedded.linking.units import spoken
from askwire.planner.embedded.linking.word_links import STEM, WordLinks
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag

__all__ = ["MAX_OPTIONS", "STEM", "Linker", "Mention", "Option"]

_NEVER: Final = frozenset(
    listed(
        """
    be have do a an the this that these those it its they their he she his her we us our you your i
    me my of in on at by for from to with without and or but nor not no if there here which who whom
    whose what where when how many much more most less least than then as so can will would should
    could may might also 's lasted lasting found
    """
    )
)
_OTHER_ROLE_SHARE: Final = 0.85
"""What is left of a role of another table than the one that is named."""
_MIN_NAMED_SCORE: Final = 0.7
"""How well words name a table whose columns they bring near."""
_MIN_SURE_SCORE: Final = 0.9
"""How well words name what is meant by them and by nothing else."""
_DETERMINERS: Final = frozenset(listed("a an the each every all any"))
_WHEN_DONE: Final = frozenset({"", "in", "on", "during", "since", "before", "after", "per", "each", "?", "."})
_BEING_DONE: Final = frozenset(listed("be been being is are was were not never yet"))
_TWO_INITIALS_SCORE: Final = 0.72
_THREE_INITIALS_SCORE: Final = 0.9
_TWO_INITIALS: Final = 2
_MAX_INITIALS_COLUMNS: Final = 2
"""Columns that two initials may stand for."""
_COUNTING: Final = frozenset({"many", "of", "total", "average"})
_MEAN: Final = frozenset({"average", "mean"})
_INNER: Final = frozenset({"of", "on", "the", "in", "for", "per", "'s", "-", "a"})


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens `start` to `end` (exclusive) and what they may name, best first.

    `explained`: a hint says what they name.
    """

    start: int
    end: int
    options: tuple[Option, ...]
    words: tuple[str, ...]
    explained: bool = False

    @property
    def best(self) -> float:
        """The best option's score."""
        return self.options[0].score if self.options else 0.0


def _is_degree(token: Token) -> bool:
    """Whether a word says a degree, behind which 'second' is a place: 'the second most', 'second largest'."""
    return token.lower in {"most", "least", "best", "worst", "top"} or token.lower.endswith("est")


class Linker:
    """Links spans of one schema; keeps the word look-ups of a question only as long as it lives."""

    def __init__(self, index: SchemaIndex, most: int = MAX_OPTIONS) -> None:
        """`most` is how many elements a span may name."""
        self._index = index
        self._links = WordLinks(index)
        self._elements = Options(index, self._links, most)

    @property
    def index(self) -> SchemaIndex:
        """The schema it links to."""
        return self._index

    def related(self, word: str) -> dict[str, float]:
        """Schema words that `word` may stand for, with a quality in 0..1."""
        return self._links.likely(word)

    def options(self, words: Sequence[str]) -> tuple[Option, ...]:
        """Elements that all `words` together may name, best first; ties in catalog order."""
        return self._elements.of(words)

    def spans(self, tokens: Sequence[Token], blocked: Iterable[int]) -> list[Mention]:
        """Every span of up to five tokens that names something; `blocked` tokens are never part of one.

        Nor are the units of numbers.
        """
        closed = set(blocked)
        closed.update(at for m in spoken(tokens, closed, self.index) for at in range(m.at + 1, m.end))
        found: list[Mention] = []
        for start, end, options in conjoined_names(tokens, closed, self._index):
            found.append(Mention(start, end, options, tuple(token.lemma for token in tokens[start:end])))
            closed.update(range(start, end))
        for start, first in enumerate(tokens):
            if start in closed or first.kind != "word" or first.lemma in _NEVER | {"per", "each", "every"}:
                continue
            if first.lower == "second" and start + 1 < len(tokens) and _is_degree(tokens[start + 1]):
                continue
            words: list[str] = []
            for end in range(start + 1, min(len(tokens), start + 6) + 1):
                token = tokens[end - 1]
                if end - 1 in closed or token.kind not in {"word", "punct", "number"}:
                    break
                if token.lemma in _INNER:
                    if token.lemma == "per" and start and tokens[start - 1].lower in _COUNTING:
                        break  # 'how many wells per status' divides wells, and names no 'well status'
                    continue
                if token.kind == "punct" or token.lemma in _NEVER:
                    break
                thing = end > 1 and _is_degree(tokens[end - 2])  # 'the oldest ship' ships nothing
                if token.lower in SOFT_WORDS and not (thing or self._links.literal(token.lemma)):
                    whole = self._whole_names((*words, token.lemma)) if words else ()
                    if whole:
                        found.append(Mention(start, end, whole, (*words, token.lemma)))
                    break
                if token.lemma in words or {*words[:1], token.lemma} == _MEAN:
                    break  # 'drug spend per drug' is no one name, nor is 'average mean temperature'
                words.append(token.lemma)
                inner_of = any(t.lemma in _INNER for t in tokens[start:end])
                if len(words) == 1 and (first.lemma in WEAK_ALONE or inner_of):
                    if not any(token.lemma in t for t in (self.related(token.lemma),)):
                        continue
                    if is_name(tokens, start, self._index):
                        named = tuple(o for o in self._elements.of(words) if not o.table and o.score >= 1.0)
                        found.append(Mention(start, end, named, tuple(words)))
                    weak = first.lemma in WEAK_ALONE and first.lower != "numbers"
                    if weak and not self._are_rows(first):
                        continue
                glued = "".join(t.lower for t in tokens[start:end])
                if inner_of and len(words) > 1 and glued in self._index.by_word:
                    found.append(Mention(start, end, self.options((glued,)), tuple(words)))
                    continue
                if inner_of and first.lemma in GENERIC - {"number", "date", "year"}:
                    break
                options = self._elements.of(words, loosely=True)
                if inner_of:
                    options = tuple(
                        o
                        for o in options
                        if not o.table
                        and all(
                            self.related(w).keys() & set(self._index.columns[o.index].words) for w in words
                        )
                        and (first.lemma != "number" or self._index.columns[o.index].full[0] == "number")
                    )
                if options and options[0].score >= 0.4:
                    found.append(Mention(start, end, options, tuple(words)))
        found = [
            m
            for m in found
            if not (
                self._said_of_rows(m, found)
                or _most_done(m, found, tokens)
                or (m.best < _MIN_SURE_SCORE and m.end == m.start + 1 and said_of_doer(tokens, m.start))
                or _done_then(m, found, tokens)
                or _is_particle(m, tokens)
                or self._says_state(m, found, tokens)
            )
        ]
        found = [self._done_at(m, tokens) if self._done_by_none(m, found, tokens) else m for m in found]
        found = [self._of_the_deed(m, found, tokens) for m in found]
        found = self._near_named([m for m in found if m.options])
        return [*found, *self._by_initials(tokens, closed), *self._shared(tokens, found, closed)]

    def _whole_names(self, words: tuple[str, ...]) -> tuple[Option, ...]:
        """The columns that are called so, word for word: 'customers affected' as `cust_aff`."""
        columns = self._index.columns
        return tuple(
            o
            for o in self.options(words)
            if not o.table
            and len(columns[o.index].full) == len(words)
            and all(any(w in self.related(said) for said in words) for w in columns[o.index].full)
        )

    def _shared(self, tokens: Sequence[Token], found: Sequence[Mention], closed: set[int]) -> list[Mention]:
        """Words that lean on a name beside them: 'first and last name', 'reading date and value'."""
        return [
            *self._shared_heads(tokens, found, closed),
            *self._shared_modifiers(tokens, found, closed),
        ]

    def _shared_modifiers(
        self, tokens: Sequence[Token], found: Sequence[Mention], closed: set[int]
    ) -> list[Mention]:
        """'reading date and value': a word that names nothing alone has the first words of what is before."""
        taken = {at for m in found for at in range(m.start, m.end)}
        shared = []
        for mention in found:
            at = mention.end + 1
            first = mention.options[0]
            if at >= len(tokens) or tokens[mention.end].lower not in {"and", ","} or first.table:
                continue
            word = tokens[at]
            numbered = word.kind == "number" and mention.words[-1].isdigit()  # 'address line 1 and 2'
            if at in closed | taken or not (word.kind == "word" or numbered) or len(mention.words) < 2:
                continue
            table = self._index.columns[first.index].table
            words = (*mention.words[:-1], word.lemma)
            options = tuple(
                o
                for o in self.options(words)
                if not o.table and o.score >= _MIN_SURE_SCORE and self._index.columns[o.index].table == table
            )
            if options and word.lemma in self._index.by_word:
                shared.append(Mention(at, at + 1, options, words))
        return shared

    def _are_rows(self, token: Token) -> bool:
        """Whether 'returns', 'lists' or 'shows' are the rows of a table that is called so."""
        tables, _ = self._index.by_word.get(token.lemma, ((), ()))
        several = token.lower != token.lemma
        return several and any(self._index.tables[t].words == (token.lemma,) for t in tables)

    def _said_of_rows(self, mention: Mention, found: Sequence[Mention]) -> bool:
        """'discontinued products': a flag by its own name, said of the rows of its table.

        'official languages' are said of the rows of `countrylanguage`.
        """
        first = mention.options[0]
        if first.table or len(mention.words) == 1 or mention.end - mention.start != len(mention.words):
            return False
        column = self._index.columns[first.index]
        if mention.words[0] in ENDS and column.kind == "time" and len(mention.words) == 2:
            # 'open tickets' are tickets, and no time at which they were opened
            return (mention.words[-1],) == self._index.tables[column.table].words
        rows = tuple(w for w in self._index.tables[column.table].words if w not in ROUNDS_OFF)
        said = mention.words[1:]
        if self._index.tables[column.table].relation.name.isalpha():
            rows = rows[-len(said) :]
        if not is_flag(column) or rows != said:
            return False
        return any(
            (m.start, m.end) == (mention.start, mention.end - len(said)) and m.options[0].index == first.index
            for m in found
            if not m.options[0].table
        )

    def _says_state(self, mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> bool:
        """'open tickets', 'still open': how things are, and no `opn_dt` at which they were opened.

        'Severe incidents' are some of them, and no `severity` of each.
        """
        first = mention.options[0]
        if not first.table and self._is_degree_of(mention, first, found):
            return True
        if first.table or len(mention.words) > 1 or mention.words[0] not in ENDS:
            return False
        before = tokens[mention.start - 1].lower if mention.start else ""
        things = any(m.start == mention.end and m.options[0].table for m in found)
        timed = self._index.columns[first.index].kind == "time"
        return timed and (things or before in {"still", "currently"})

    def _is_degree_of(self, mention: Mention, first: Option, found: Sequence[Mention]) -> bool:
        """Whether an adjective before a thing has its noun in a column of texts."""
        column, word = self._index.columns[first.index], mention.words[0]
        nouns = {f"{word.removesuffix('e')}ity", f"{word[:-1]}cy", f"{word}ness", f"{word[:-1]}iness"}
        if column.kind not in {"text", "enum"} or word in column.full or not nouns & {*column.full}:
            return False
        things = (m for m in found if m.start == mention.start + 1 and m.options[0].table)
        return any(m.best >= _MIN_SURE_SCORE and mention.end in {m.start, m.end} for m in things)

    def _done_by_none(self, mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> bool:
        """'matches that were played in 2013' names no players, as it does not say who did it.

        'The orchestras that conductors have conducted' names them.
        """
        first = mention.options[0]
        verb = tokens[mention.start]
        if not first.table or first.score >= _MIN_SURE_SCORE or mention.end - mention.start > 1:
            return False
        if any(m.options[0].table and m.options[0].index == first.index for m in found if m is not mention):
            return False
        doer = self._index.tables[first.index].words[-1:]
        after = tokens[mention.end].lower if mention.end < len(tokens) else ""
        done = verb.lower.removesuffix("ed")  # 'orders' are not who ordered
        doing = bool(doer) and doer[0] in {f"{done}er", f"{done}or", f"{done}r"}
        denied = mention.start and tokens[mention.start - 1].lower == "not"  # 'not shipped orders'
        return doing and verb.lower.endswith("ed") and (after in _WHEN_DONE or bool(denied))

    def _done_at(self, mention: Mention, tokens: Sequence[Token]) -> Mention:
        """'orders that were not shipped' by the times that are called so, and by none of the shippers."""
        if not mention.start or tokens[mention.start - 1].lower not in _BEING_DONE:
            return replace(mention, options=())
        columns = ((o, self._index.columns[o.index]) for o in mention.options if not o.table)
        times = (o for o, c in columns if c.kind == "time" and mention.words[0] in c.words)
        return replace(mention, options=tuple(times))

    def _of_the_deed(self, mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> Mention:
        """'refunds issued in May' by their own times, and not when the certificate of a course was issued."""
        at = mention.start
        sure = (m.options[0] for m in found if m.options and m.best >= _MIN_SURE_SCORE)
        named = {option.index for option in sure if option.table}
        deed = mention.end == at + 1 and PARTICIPLE.fullmatch(tokens[at].lower) is not None
        if not (deed and named):
            return mention
        said = {stem(w) for token in tokens for w in (token.lower, token.lemma)} | _OF_TIMES
        columns = ((o, None if o.table else self._index.columns[o.index]) for o in mention.options)
        kept = (
            o
            for o, c in columns
            if c is None
            or c.kind != "time"
            or c.table in named
            or {*map(stem, c.full)} - {*map(stem, self._index.tables[c.table].words)} <= said
        )
        return replace(mention, options=tuple(kept))

    def _near_named(self, found: Sequence[Mention]) -> list[Mention]:
        """The mentions; what names more elements than are kept names those of tables named beside it."""
        named = {m.options[0].index for m in found if m.options[0].table and m.best >= _MIN_NAMED_SCORE}
        found = [
            replace(m, options=self._elements.of(m.words, loosely=True, near=named))
            if m.options == self._elements.of(m.words, loosely=True)
            else m
            for m in found
        ]
        return [replace(m, options=self._roles_of(m.options, named)) for m in found]

    def _roles_of(self, options: tuple[Option, ...], named: set[int]) -> tuple[Option, ...]:
        """The options; of roles called alike, that of a table named beside it: managers of departments."""
        roles = {o.index: r for o in options if o.table and (r := self._index.tables[o.index].role)}
        ours = {table for table, role in roles.items() if role.source in named}
        if not ours or len(ours) == len(roles):
            return options
        best = max(o.score for o in options if o.table and o.index in roles)
        changed = [
            replace(o, score=best if o.index in ours else o.score * _OTHER_ROLE_SHARE)
            if o.table and o.index in roles
            else o
            for o in options
        ]
        return tuple(sorted(changed, key=lambda o: (-o.score, not o.table, o.index)))

    def _by_initials(self, tokens: Sequence[Token], closed: set[int]) -> list[Mention]:
        """'wind speed' as `ws`, 'checked out' as `co_dt`: two words that nothing else is like.

        Three are no chance: 'recommended retail price' is `rrp`, whatever else has a price.
        """
        found = []
        for at, many in ((at, size) for size in (3, 2) for at in range(len(tokens) - size + 1)):
            said = tokens[at : at + many]
            words = tuple(t.lemma for t in said)
            plain = all(t.kind == "word" and t.lower.isalpha() for t in said)
            inner = said[1:] if many > _TWO_INITIALS else ()
            closing = {words[0], said[0].lower} & (_NEVER | FUNCTION_WORDS | SOFT_WORDS)
            closing |= FUNCTION_WORDS & {t.lower for t in inner}
            if not plain or closing or closed & {*range(at, at + many)}:
                continue
            short = "".join(t.lower[0] for t in said)
            linked = any(self.related(w) for w in (words if many == _TWO_INITIALS else words[:1]))
            if short not in self._index.by_word or is_word(short) or linked:
                continue
            options = tuple(o for o in self.options((short,)) if not o.table)
            if 0 < len(options) <= _MAX_INITIALS_COLUMNS:
                score = _TWO_INITIALS_SCORE if many == _TWO_INITIALS else _THREE_INITIALS_SCORE
                found.append(Mention(at, at + many, tuple(replace(o, score=score) for o in options), words))
        return found

    def _shared_heads(
        self, tokens: Sequence[Token], found: Sequence[Mention], closed: set[int]
    ) -> list[Mention]:
        """'first and last name': the first word shares the head of what follows 'and'."""
        starts = {m.start: m for m in sorted(found, key=lambda m: m.end)}
        shared = []
        for at, token in enumerate(tokens[:-2]):
            if (
                at in closed
                or token.kind != "word"
                or tokens[at + 1].lower not in {"and", "or", ",", "&", "/"}
            ):
                continue
            if at in starts and starts[at].best > 0.9 and token.lemma not in WEAK_ALONE:
                continue
            for skip in (2, 3, 4, 5, 6):
                following = starts.get(at + skip)
                if following is None or len(following.words) < 2:
                    continue
                options = self.options((token.lemma, following.words[-1]))
                options = tuple(o for o in options if self._says_outright(token.lemma, o))
                if options and token.lemma in self._index.by_word:
                    shared.append(Mention(at, at + 1, options, (token.lemma, following.words[-1])))
                break
        return shared

    def _says_outright(self, word: str, option: Option) -> bool:
        """Whether a word stands in the name of a column itself: details are no description."""
        return not option.table and option.score >= 0.75 and word in self._index.columns[option.index].full


def said_of_doer(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word only says again what somebody is: 'play' in 'players who play'."""
    doer = at - 2 if at and tokens[at - 1].lower in {"who", "that"} else at - 1
    deed = tokens[at].lemma
    return doer >= 0 and tokens[doer].lemma in {f"{deed}{end}" for end in ("er", "or", "r")}


_OF_TIMES: Final = frozenset(map(stem, listed("at on date time day start actual first last in out of by")))
"""Stems of words in the names of times that need not be said."""
_PARTICLES: Final = frozenset({"out", "off", "up", "down", "over"})


def _is_particle(mention: Mention, tokens: Sequence[Token]) -> bool:
    """'inspections carried out' went out of nothing: a particle alone names no time of moving out."""
    start = mention.start
    alone = mention.end == start + 1 and start > 0 and tokens[start].lower in _PARTICLES
    return alone and PARTICIPLE.fullmatch(tokens[start - 1].lower) is not None


def _done_then(mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> bool:
    """'orders shipped in 2024': a thing and when something was done; both together are no ship city."""
    after = tokens[mention.end].lower if mention.end < len(tokens) else ""
    if mention.end - mention.start < 2 or mention.best >= _MIN_SURE_SCORE or after not in _WHEN_DONE:
        return False
    at = mention.end + 1
    while at < len(tokens) and tokens[at].lower in _DETERMINERS:
        at += 1
    if any(m.start == at for m in found):
        return False  # 'students enrolled in each course' says where, and not when
    done = PARTICIPLE.fullmatch(tokens[mention.end - 1].lower) is not None
    thing = (m for m in found if (m.start, m.end) == (mention.start, mention.end - 1))
    return done and any(m.options[0].table and m.best >= _MIN_SURE_SCORE for m in thing)


def _most_done(mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> bool:
    """'the most rented film': of two words that name a table each, none like them is meant by both."""
    before = tokens[mention.start - 1].lower if mention.start else ""
    if before not in {"most", "least"} or mention.end - mention.start != 2:
        return False
    apart = {(m.start, m.end): m for m in found if m.options[0].table}
    done = apart.get((mention.start, mention.start + 1))
    thing = apart.get((mention.start + 1, mention.end))
    return (
        bool(done and thing) and mention.best < _MIN_SURE_SCORE and tokens[mention.start].lower.endswith("ed")
    )
