"""The hint given with a question → what its words mean here.

Owns: reading `EVIDENCE` and glossary sentences (late means status = 'L', margin = profit / revenue, ACP:
average closing price), and where their words stand in a question.

A sentence explains its left side by its right. The right side is a condition, a column or several, two
columns combined, or other words, which replace the left side. What fits none of these is
left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.text import Token, listed, singular, tokenize
from askwire.planner.embedded.linking.linker import Linker, Mention, Option
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, NullTest, Term
from askwire.planner.embedded.schema.schema_index import SchemaIndex

MAX_HINTS: Final = 24
MAX_WORDS: Final = 14
"""Words of a right side that may stand for its left side; what is longer explains rather than defines."""
_VERB: Final = re.compile(
    r"\s+(?:refers? to|means?|stands? for|denotes?|represents?|corresponds? to|indicates?|"
    r"(?:is|are) (?:defined|calculated|computed|measured|given|stored|recorded|determined) (?:as|by|in|with)|"
    r"can be (?:defined|calculated|computed|found) (?:as|by|in))\s+|\s*:=?\s+",
    re.I,
)
_NAME: Final = r"(?:`[^`]{1,80}`|\"[^\"]{1,80}\"|\[[^\]]{1,80}\]|[A-Za-z_]\w{0,62})"
_COLUMN: Final = rf"{_NAME}(?:\.{_NAME}){{0,2}}"
_LITERAL: Final = (
    r"'(?:[^']|''){0,120}'|\"[^\"]{0,120}\"|-?\d[\d.]{0,18}|null|true|false|"
    r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62}){0,2}"
)
_CONDITION: Final = re.compile(
    rf"\s*\(?\s*(?P<column>{_COLUMN})\s*"
    r"(?P<op>==?|!=|<>|>=|<=|>|<|is not(?= null)|is(?= null)|is|like|equals)\s*"
    rf"(?P<literal>{_LITERAL})\s*\)?\s*",
    re.I,
)
_MAX_PLACES: Final = 3
"""Places of a question in which a hint explains the same words."""
_JOIN: Final = re.compile(r"\s*(?P<word>and|or|&|,)\s+", re.I)
_COMBINED: Final = re.compile(
    rf"\s*\(?\s*(?P<f>\w+\s*\()?\s*(?P<a>{_COLUMN})\s*\)?\s*(?P<op>[-*/]|divided by|minus|times)\s*"
    rf"(?P<g>\w+\s*\()?\s*(?P<b>{_COLUMN})\s*\)?\s*\)?\s*(?:\*\s*100(?:\.0)?)?\s*",
    re.I,
)
_DIVIDED: Final = re.compile(
    rf"\s*(?P<op>divide|subtract)\s*\(\s*(?P<f>\w+\s*\()?\s*(?P<a>{_COLUMN})\s*\)?\s*,\s*(?P<g>\w+\s*\()?\s*"
    rf"(?P<b>{_COLUMN})\s*\)?\s*\)\s*",
    re.I,
)
_MEASURED: Final = re.compile(
    rf"\s*(?P<f>sum|avg|average|count|max|min)\s*\(\s*(?P<a>{_COLUMN})\s*\)\s*", re.I
)
_WORDS_FOR: Final = {"sum": "total", "avg": "average", "average": "average", "count": "number of"}
_OPERATORS: Final = {"divided by": "/", "minus": "-", "times": "*", "divide": "/", "subtract": "-"}
_SMALL: Final = frozenset(listed("the a an of in for to is are that which who whose 's"))


@dataclass(frozen=True, slots=True)
class HintSpan:
    """Tokens `start` to `end` mean `conditions`, all of them."""

    start: int
    end: int
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class HintedQuestion:
    """A question with its hints applied: its tokens, what some of them are told to be, and what was not used.

    Tokens put in keep the place in the question of those they stand for.
    """

    tokens: tuple[Token, ...]
    given: tuple[HintSpan, ...] = ()
    mentions: tuple[Mention, ...] = ()
    unread: int = 0


@dataclass(frozen=True, slots=True)
class _Hint:
    left: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    columns: tuple[tuple[Option, ...], ...] = ()
    words: str = ""


def sentences(evidence: str) -> list[tuple[str, str]]:
    """(left, right) of each explanation, in order: 'late means status = 'L'' → late, status = 'L'."""
    found = []
    for part in re.split(r";|\n|(?<=[\w'\")`])\.(?=\s|$)", evidence[:4000]):
        verb = _VERB.search(part)
        if verb is not None:
            left, right = part[: verb.start()], part[verb.end() :]
        elif "=" in part and not re.search(r"[<>!]=", part):
            left, _, right = part.partition("=")
        else:
            continue
        left, right = left.strip(" '\"`,"), right.strip(" ,.")
        if left and right:
            found.append((left, right))
    return found[:MAX_HINTS]


class Hints:
    """The explanations of one hint, over one schema."""

    def __init__(self, index: SchemaIndex, evidence: str, tokens: Sequence[Token]) -> None:
        self._index = index
        self._spoken = {t.lemma for t in (*tokens, *tokenize(evidence[:4000]))}
        self._hints: list[_Hint] = []
        self.unread = 0
        for left, right in sentences(evidence):
            hint = self._read(left, right) or self._read(right, left)
            if hint is None:
                self.unread += 1
            else:
                self._hints.append(hint)

    def apply(self, tokens: tuple[Token, ...], linker: Linker) -> HintedQuestion:
        """The question as the hints say it is meant; longer left sides come first."""
        given: list[HintSpan] = []
        mentions: list[Mention] = []
        taken: set[int] = set()
        unread = self.unread
        hints = sorted(self._hints, key=lambda h: -len(h.left))
        for hint, again in ((h, n > 0) for h in hints for n in range(_MAX_PLACES)):
            place = _find(tokens, hint.left, taken, whole=again)
            place = place or (None if again else self._apart(tokens, hint.left, taken, linker))
            if place is None:
                unread += not again
                continue
            start, end = place
            if hint.conditions:
                start, end = self._without_table(tokens, start, end, linker)
                given.append(HintSpan(start, end, hint.conditions))
                taken.update(range(start, end))
                table = self._noun(tokens, start, end, hint.conditions, linker)
                if table is not None:
                    name = self._index.tables[table].relation.name
                    noun = replace(tokens[end - 1], text=name, lower=name.lower(), lemma=name, kind="column")
                    tokens = (*tokens[:end], noun, *tokens[end:])
                    given, mentions, taken = _moved(given, mentions, taken, end, 1)
                    taken.add(end)
                    named = (Option(True, table, 1.0),)
                    mentions.append(Mention(end, end + 1, named, (name,), explained=True))
                continue
            put = _put_in(tokens[start], tokens[end - 1], hint)
            shift = len(put) - (end - start)
            tokens = (*tokens[:start], *put, *tokens[end:])
            given, mentions, taken = _moved(given, mentions, taken, start, shift)
            taken |= set(range(start, start + len(put)))
            at = start
            for options in hint.columns:
                while tokens[at].kind != "column":
                    at += 1
                mentions.append(Mention(at, at + 1, options, (tokens[at].lemma,), explained=True))
                at += 1
        plain = tuple(replace(t, kind="word") if t.kind == "column" else t for t in tokens)
        return HintedQuestion(plain, tuple(given), tuple(mentions), unread)

    def _apart(
        self, tokens: Sequence[Token], left: tuple[str, ...], taken: set[int], linker: Linker
    ) -> tuple[int, int] | None:
        """'bulky orders' in 'which orders are bulky': what is said of a table that is named elsewhere."""
        said = {t.lemma for t in tokens}
        rest = tuple(word for word in left if not (word in said and _names_table(linker, word)))
        return _find(tokens, rest, taken) if rest and len(rest) < len(left) else None

    def _without_table(
        self, tokens: Sequence[Token], start: int, end: int, linker: Linker
    ) -> tuple[int, int]:
        """'active customers' explained: the customers stay, what is said of them is explained."""
        while end - start > 1 and (
            _names_table(linker, tokens[end - 1].lemma) or tokens[end - 1].lemma in _SMALL
        ):
            end -= 1
        while end - start > 1 and (
            _names_table(linker, tokens[start].lemma) or tokens[start].lemma in _SMALL | {"be"}
        ):
            start += 1
        return start, end

    def _noun(
        self,
        tokens: Sequence[Token],
        start: int,
        end: int,
        conditions: Sequence[Condition],
        linker: Linker,
    ) -> int | None:
        """'how many cheapies are there': the table of which the words, told to be a condition, name the rows.

        None where a table is named besides, or where the words say what something is: 'which are late'.
        """
        beside = (*tokens[:start], *tokens[end:])
        if (start and tokens[start - 1].lemma == "be") or any(_names_table(linker, t.lemma) for t in beside):
            return None
        first = conditions[0]
        while isinstance(first, AnyOf):
            first = first.parts[0][0]
        column = first.column if isinstance(first, NullTest) else None
        if isinstance(first, Compare):
            column = first.term.column
        return None if column is None else self._index.columns[column].table

    def _read(self, left: str, right: str) -> _Hint | None:
        left = re.sub(r"(?<=\w)\.(?=[^\W\d])", " ", left)
        lemmas = tuple(t.lemma for t in tokenize(left) if t.kind != "punct" and t.lemma not in _SMALL)
        if not lemmas or len(lemmas) > MAX_WORDS:
            return None
        conditions = self._conditions(right)
        if conditions:
            return _Hint(lemmas, conditions=conditions)
        combined = _DIVIDED.fullmatch(right) or _COMBINED.fullmatch(right)
        if combined is not None:
            options = self._combined(combined)
            if options:
                sums = all((combined[g] or "").strip(" (").lower() == "sum" for g in "fg")
                return _Hint(lemmas, columns=(options,), words="total \0" if sums else "\0")
        measured = _MEASURED.fullmatch(right)
        if measured is not None and (options := self._columns(measured["a"])):
            word = _WORDS_FOR.get(measured["f"].lower(), "")
            return _Hint(lemmas, columns=(options,), words=f"{word} \0".strip())
        names = re.split(r"\s*(?:,|\band\b)\s*", right)
        columns = tuple(self._columns(n.strip()) for n in names if n.strip())
        if columns and all(columns) and len(columns) <= 4:
            return _Hint(lemmas, columns=columns, words=" , ".join("\0" for _ in columns))
        if _CONDITION.match(right) or len(right.split()) > MAX_WORDS or re.search(r"[()/*<>=]", right):
            return None
        inner: list[tuple[Option, ...]] = []
        words = []
        for word in right.split():
            # names written as only a schema writes them are the columns, not words
            found = self._columns(word.strip(",")) if "_" in word or "." in word.strip(".") else ()
            if found:
                inner.append(found)
            words.append("\0" if found else word)
        return _Hint(lemmas, columns=tuple(inner), words=" ".join(words))

    def _conditions(self, text: str) -> tuple[Condition, ...]:
        matches: list[re.Match[str]] = []
        joined = ""
        at = 0
        while at < len(text):
            match = _CONDITION.match(text, at)
            if match is None:
                return ()
            matches.append(match)
            at = match.end()
            more = _JOIN.match(text, at - 1) or _JOIN.match(text, at)
            if at < len(text) and more is None:
                return ()
            if more is not None:
                joined = joined or more["word"].lower()
                at = more.end()
        table = self._table([self._columns(m["column"]) for m in matches])
        conditions = [self._condition(m, table) for m in matches]
        found = tuple(c for c in conditions if c is not None)
        if len(found) < len(conditions):
            return ()
        return (AnyOf(tuple((c,) for c in found)),) if joined == "or" else found

    def _table(self, options: Sequence[tuple[Option, ...]]) -> int | None:
        """The table that most of the named columns may be of; of several, the one that is spoken of."""
        votes: dict[int, float] = {}
        for found in options:
            for table in {self._index.columns[o.index].table for o in found}:
                votes[table] = votes.get(table, 0.0) + 1.0
        for table in votes:
            entry = self._index.tables[table]
            votes[table] += 0.5 if self._spoken & {*entry.words, *entry.called} else 0.0
        return max(sorted(votes), key=lambda t: votes[t], default=None)

    def _condition(self, match: re.Match[str], table: int | None) -> Condition | None:
        options = sorted(
            self._columns(match["column"]), key=lambda o: self._index.columns[o.index].table != table
        )
        if not options:
            return None
        column = self._index.columns[options[0].index]
        operator = {"==": "=", "!=": "<>", "equals": "=", "is": "=", "like": "ILIKE"}.get(
            match["op"].lower(), match["op"].lower()
        )
        text = match["literal"]
        if text.lower() == "null":
            return NullTest(column.index, operator in {"is not", "<>"})
        other = self._other(text, column.index, operator)
        if other is not None:
            return Compare(Term(column.index), operator, Term(other))
        quoted = text[:1] in "'\""
        value = text[1:-1].replace("''", "'") if quoted else text
        if column.kind == "boolean":
            yes = value.lower() in {"true", "t", "yes", "y", "1"}
            return Compare(Term(column.index), operator, Literal("true" if yes else "false", "number"))
        number = re.fullmatch(r"-?\d+(?:\.\d+)?", value) is not None
        if column.kind == "number" and not column.cast:
            return Compare(Term(column.index), operator, Literal(value, "number")) if number else None
        if column.kind == "time" and not re.match(r"\d{4}-\d\d?-\d\d?", value):
            return None
        if not quoted and not number and operator != "=":
            return None
        return Compare(Term(column.index), operator, Literal(self._stored(column.index, value), "text"))

    def _other(self, text: str, column: int, operator: str) -> int | None:
        """The column that a right side names, of the kind of the left one; its own table's before others."""
        if operator not in {"=", "<>", "!=", "<", ">", "<=", ">="}:
            return None
        left = self._index.columns[column]
        found = [self._index.columns[o.index] for o in self._columns(text) if o.index != column]
        fits = sorted((c for c in found if c.kind == left.kind), key=lambda c: c.table != left.table)
        return fits[0].index if fits else None

    def _stored(self, column: int, value: str) -> str:
        """The value as a common value or a label spells it."""
        entry = self._index.columns[column].column
        known = (*entry.enum_labels, *entry.common_values)
        return value if value in known else next((k for k in known if k.lower() == value.lower()), value)

    def _combined(self, match: re.Match[str]) -> tuple[Option, ...]:
        operator = match["op"].lower()
        operator = _OPERATORS.get(operator, operator)
        found = []
        for first in self._columns(match["a"]):
            for second in self._columns(match["b"]):
                kinds = {self._index.columns[o.index].kind for o in (first, second)}
                same = self._index.columns[first.index].table == self._index.columns[second.index].table
                if kinds == {"number"} or (kinds == {"time"} and operator == "-"):
                    score = 1.0 if same else 0.7
                    found.append(Option(False, first.index, score, factor=second.index, operator=operator))
        return tuple(found[:6])

    def _columns(self, text: str) -> tuple[Option, ...]:
        """The columns that a name as written stands for, `table.column` or `column`."""
        parts = [_plain(p) for p in re.findall(_NAME, text)]
        if not parts or not re.fullmatch(_COLUMN, text):
            return ()
        found = []
        for column in self._index.columns:
            table = self._index.tables[column.table]
            if _plain(column.column.name) != parts[-1] or table.role is not None:
                continue
            if len(parts) == 1 or _plain(table.relation.name) == parts[-2]:
                found.append(Option(False, column.index, 1.0))
        return tuple(found[:8])


def _moved(
    given: Sequence[HintSpan], mentions: Sequence[Mention], taken: set[int], start: int, shift: int
) -> tuple[list[HintSpan], list[Mention], set[int]]:
    """What is known of tokens, when those from `start` on have moved."""
    return (
        [g if g.end <= start else replace(g, start=g.start + shift, end=g.end + shift) for g in given],
        [m if m.end <= start else replace(m, start=m.start + shift, end=m.end + shift) for m in mentions],
        {at if at < start else at + shift for at in taken},
    )


def _names_table(linker: Linker, word: str) -> bool:
    options = linker.options((word,))
    return bool(options) and options[0].table and options[0].score >= 0.85


def _plain(name: str) -> str:
    """A name without quotes, case and what stands between its words."""
    return re.sub(r"[^a-z0-9]+", "", name.strip('`"[]').lower())


def _find(
    tokens: Sequence[Token], left: tuple[str, ...], taken: set[int], *, whole: bool = False
) -> tuple[int, int] | None:
    """Where the words of a left side stand one after another, small words aside; else (not `whole`) most."""
    places = [
        at for at, t in enumerate(tokens) if t.lemma not in _SMALL and at not in taken and t.kind != "punct"
    ]
    lemmas = [singular(tokens[at].lemma) for at in places]
    left = tuple(map(singular, left))
    size = len(left)
    for first in range(len(places) - size + 1):
        if tuple(lemmas[first : first + size]) == left:
            return places[first], places[first + size - 1] + 1
    for length in () if whole else range(size - 1, max(size // 2, 0), -1):
        for first in range(len(places) - length + 1):
            part = lemmas[first : first + length]
            if len(set(part)) == length and set(part) <= set(left):
                return places[first], places[first + length - 1] + 1
    return None


def _put_in(first: Token, last: Token, hint: _Hint) -> list[Token]:
    """The tokens that stand for a left side, each with its place; a NUL in `words` is a column."""
    found: list[Token] = []
    for part in re.split(r"(\0)", hint.words):
        if part == "\0":
            found.append(Token(first.text, first.lower, first.lemma, "column", first.start, last.end))
        else:
            found += [replace(t, start=first.start, end=last.end) for t in tokenize(part)]
    return found
