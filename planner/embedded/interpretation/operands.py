"""The right side of comparisons: constants by column type, ranges of time, other columns.

Owns: comparisons and bounds.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import Final

from askwire.language.times import TimeSpan, add_months, year_range
from askwire.planner.embedded.grammar.atoms import Comparison, Operand
from askwire.planner.embedded.grammar.encode import EncodedQuestion, is_money
from askwire.planner.embedded.interpretation.ages import aged, since_birth
from askwire.planner.embedded.interpretation.recurring import recurring
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.interpretation.split_times import pieces
from askwire.planner.embedded.linking.linker import Option
from askwire.planner.embedded.linking.units import contradicts, converted, score, undecided
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.logical_form.expressions import DAY_NUMBER, MONTH_NUMBER, TIME_OF_DAY
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, NullTest, Term
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

OPPOSITE = {"=": "<>", "<>": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">", "ILIKE": "NOT ILIKE"}
_HELD: Final = {"=": "HAS", "<>": "HAS NOT"}
"""What a list in text does with what it is compared with."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_SAID = re.compile(r"'?(?:1[5-9]|2[01])[0-9]{2}(?:s|'s)?")
"""A year as a question writes it; 'over $1000' is none."""
_MAX_CLOCK_DIGITS = 4
_ORDERED: Final = frozenset({">", ">=", "<", "<="})
_YEARLY: Final = frozenset({"year", "season", "date"})
_AGED: Final = frozenset({"old", "young", "senior"})
_YEARS: Final = frozenset({"age", "year", "old"})
TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


class Unusable(Exception):
    """An atom that cannot be expressed under the assignment."""


class Operands:
    """Comparisons of one encoded question under one assignment."""

    def __init__(self, index: SchemaIndex, encoded: EncodedQuestion, chosen: Assignment) -> None:
        self._index = index
        self._encoded = encoded
        self._chosen = chosen
        self.assumed = False
        """Whether a number without a unit was taken to be in another than the column's."""

    def _option(self, mention: int | None) -> Option | None:
        return None if mention is None else self._chosen.mentions.get(mention)

    def equal(self, hit: Hit, *, negated: bool = False) -> list[Condition]:
        """That a column holds what was found, or one of several values; that it holds none of them."""
        column = self._index.columns[hit.column]
        kind = "number" if column.kind == "number" and not column.cast else "text"
        operator = "<>" if negated else "="
        if column.between:
            operator = _HELD[operator]
        each = [
            Compare(Term(hit.column), operator, Literal(value, kind)) for value in (hit.stored, *hit.others)
        ]
        return list(each) if negated or len(each) == 1 else [AnyOf(tuple((c,) for c in each))]

    def _is_beyond_yes_and_no(self, column: ColumnEntry, atom: Comparison) -> bool:
        """Whether a column of 0 and 1 is compared with a greater number."""
        values = column.column.common_values
        rows = self._index.tables[column.table].relation.estimated_rows
        two = {*values} == {"0", "1"} and round(different(column, rows)) == len(values)
        if column.kind != "number" or atom.operand.kind != "N" or not two:
            return False
        said = self._encoded.numbers[atom.operand.number].lemma
        return said.replace(".", "", 1).isdigit() and float(said) > 1

    def comparison(self, atom: Comparison) -> list[Condition]:
        """The conditions of a comparison; raises Unusable where its two sides do not go together."""
        option = self._option(atom.mention)
        if option is None or option.table or option.index in self._index.measured:
            raise Unusable  # a measure is of a group of rows
        column = self._index.columns[option.index]
        if self._is_beyond_yes_and_no(column, atom):
            raise Unusable  # 'how many under 18 survived' compares no survival
        if atom.unit and option.operator == "-" and option.factor is not None:
            lasted = Term(option.index, unit=atom.unit, factor=option.factor, operator="-")
            return [
                Compare(
                    lasted,
                    OPPOSITE[atom.operator] if atom.negated else atom.operator,
                    Literal(self.text(atom.operand), "number"),
                )
            ]
        if option.factor is not None and option.operator in {"-", "/", "*"}:
            if atom.operand.kind != "N" or atom.high is not None or atom.operator not in OPPOSITE:
                raise Unusable
            worked_out = Term(option.index, factor=option.factor, operator=option.operator)
            operator = OPPOSITE[atom.operator] if atom.negated else atom.operator
            return [Compare(worked_out, operator, Literal(self.text(atom.operand), "number"))]
        if atom.unit == MONTH_NUMBER:
            return [self._in_month(option.index, atom)]
        if atom.unit:
            bounds = tuple(self.text(o) for o in (atom.operand, atom.high) if o is not None)
            if atom.unit in {DAY_NUMBER, TIME_OF_DAY}:
                found: list[Condition] | None = recurring(self._index, option.index, atom, bounds)
            else:
                found = aged(
                    self._index, option.index, atom.operator, bounds, atom.unit, negated=atom.negated
                )
            if not found:
                raise Unusable
            return found
        years = column.kind != "number" or bool(_YEARS & set(column.full))
        if atom.adjective in _AGED and atom.operand.kind == "N" and not years:
            raise Unusable  # no one is 65 dollars old
        self._refuse_unheld(atom, option.index)
        operator = (
            TURNED.get(atom.operator, atom.operator) if option.flip and atom.adjective else atom.operator
        )
        if operator == "between" and atom.high is not None:
            low = self._bounds(atom.operand, column.kind, option.index)
            high = self._bounds(atom.high, column.kind, option.index)
            upper = "<" if high[2] else "<="
            term = Term(option.index)
            if atom.negated:
                beyond = Compare(term, ">=" if high[2] else ">", high[1])
                return [AnyOf(((Compare(term, "<", low[0]),), (beyond,), *self._never(column, atom)))]
            return [Compare(term, ">=", low[0]), Compare(term, upper, high[1])]
        if atom.negated:
            operator = OPPOSITE.get(operator, operator)
        found = self._against(option.index, operator, atom.operand, atom)
        never = self._never(column, atom) if operator != "<>" else ()
        return [AnyOf((tuple(found), *never))] if never else found

    @staticmethod
    def _never(column: ColumnEntry, atom: Comparison) -> tuple[tuple[Condition, ...], ...]:
        """That a time is empty, where a bound of a deed is denied: 'not returned by 31 August'."""
        lacking = not atom.ever and atom.negated and column.kind == "time" and column.column.may_be_empty
        return ((NullTest(column.index),),) if lacking and not since_birth(column) else ()

    def _in_month(self, column: int, atom: Comparison) -> Condition:
        """That a time is in a month of any year: a birthday; raises Unusable of other spans."""
        span = self._encoded.times[atom.operand.number]
        one = span.low.day == 1 and span.high == add_months(span.low, 1)
        if not one or not since_birth(self._index.columns[column]):
            raise Unusable
        operator = OPPOSITE[atom.operator] if atom.negated else atom.operator
        return Compare(Term(column, unit=MONTH_NUMBER), operator, Literal(str(span.low.month), "number"))

    def _bounds(self, operand: Operand, kind: str, column: int) -> tuple[Literal, Literal, bool]:
        """(low, high, whether high is exclusive) of an operand as constants of the column's type."""
        low, high = self._range(operand, column)
        if (moment := self._moment(operand, column)) is not None:
            return moment, moment, False
        if low is None or high is None:
            text = self.in_its_unit(operand, column) if kind == "number" else self.text(operand)
            literal = Literal(text, "number" if kind == "number" else "text")
            return literal, literal, False
        if kind == "time":
            return Literal(low.isoformat(), "time"), Literal(high.isoformat(), "time"), True
        if kind == "number":
            if operand.kind == "D" and (low.month, low.day, high.month, high.day) != (1, 1, 1, 1):
                raise Unusable
            year = Literal(str(low.year), "number")
            return year, year, False
        last = high - dt.timedelta(days=1)
        return Literal(low.isoformat(), "text"), Literal(last.isoformat(), "text"), False

    def _range(self, operand: Operand, column: int) -> tuple[dt.date | None, dt.date | None]:
        if operand.kind == "D":
            span = self._span(operand, column)
            return span.low, span.high
        if operand.kind == "N":
            token = self._encoded.numbers[operand.number]
            entry = self._index.columns[column]
            if (
                entry.kind == "time"
                and _YEAR_SAID.fullmatch(token.text)
                and not is_money(self._encoded, token)
            ):
                year = int(token.lemma)
                low, high = year_range(year)
                return (low, year_range(year + 9)[1]) if token.kind == "decade" else (low, high)
        return None, None

    def _span(self, operand: Operand, column: int) -> TimeSpan:
        """A time of a question; of one without a year the only one that a column has.

        Raises Unusable where it has none of this year, and a time of the same rows has several years before,
        or the question names other rows.
        """
        span = self._encoded.times[operand.number]
        entry = self._index.columns[column]
        period = entry.column.period
        if not span.yearless or (period and span.low.isoformat() <= period[1]):
            return span
        beside = [_of_years(span, self._index.columns[c]) for c in self._index.tables[entry.table].columns]
        named = {
            o.index if o.table else self._index.columns[o.index].table
            for mention, o in self._chosen.mentions.items()
            if self._encoded.mentions[mention].start >= 0
        }
        if any(len(years) > 1 for years in beside) or (named and entry.table not in named):
            raise Unusable
        return next(iter(_of_years(span, entry)), span)

    def _moment(self, operand: Operand, column: int) -> Literal | None:
        """A date with a time of day, where the column holds both."""
        timed = self._index.columns[column].column.type_name.startswith("timestamp")
        said = self._encoded.times[operand.number].moment if operand.kind == "D" and timed else ""
        return Literal(said, "time") if said else None

    def _in_pieces(self, column: int, operator: str, span: TimeSpan) -> list[Condition]:
        """A time against the year that a number column holds, and the month and the day beside it."""
        parts = pieces(self._index, column)
        if parts is None:
            raise Unusable
        if span.month and operator in {"=", "<>"} and parts.month is not None:
            month = parts.of_month(span.month)
            found = None if month is None else [month]
        elif span.yearless:
            found = parts.of_days(span.low, span.high) if operator == "=" else None
        elif operator in {"=", "<>"}:
            found = parts.during(span.low, span.high)
        elif operator in {">", ">="}:
            found = parts.since(span.high if operator == ">" else span.low)
        else:
            found = parts.until(span.high if operator == "<=" else span.low)
        if found is None:
            raise Unusable
        if operator != "<>":
            return found
        only = found[0]
        if len(found) != 1 or not isinstance(only, Compare):
            raise Unusable
        return [replace(only, operator="<>")]

    def text(self, operand: Operand) -> str:
        """What an operand says, as it is said; raises Unusable of a time or a column."""
        if operand.kind == "Q":
            return self._encoded.quotes[operand.number].lemma
        if operand.kind == "N":
            return self._encoded.numbers[operand.number].lemma
        if operand.kind == "V":
            return self._encoded.values[operand.number].text
        raise Unusable

    def _refuse_unheld(self, atom: Comparison, column: int) -> None:
        """Raises Unusable where a number has a unit, and a column that nothing names tells of no such thing.

        Amounts of money and parts of a whole are mostly kept without their unit.
        """
        unit = self._encoded.measured.get(atom.operand.number) if atom.operand.kind == "N" else None
        if unit is None or unit.kind in {"money", "part"} or score(self._index.columns[column], unit):
            return
        if atom.mention is None or self._encoded.mentions[atom.mention].start < 0:
            raise Unusable

    def in_its_unit(self, operand: Operand, column: int) -> str:
        """A number as the column holds it; raises Unusable where the column holds something else."""
        text = self.text(operand)
        if operand.kind != "N":
            return text
        unit, entry = self._encoded.measured.get(operand.number), self._index.columns[column]
        if unit is not None and (contradicts(entry, unit) or undecided(entry, text, unit)):
            raise Unusable
        found = converted(entry, text, unit)
        self.assumed = self.assumed or (unit is None and found != text)
        return found

    def _against(self, column: int, operator: str, operand: Operand, atom: Comparison) -> list[Condition]:
        entry = self._index.columns[column]
        term = Term(column)
        if operand.kind == "R":
            player = self._option(operand.number)
            role = self._index.tables[player.index].role if player is not None and player.table else None
            if player is None or role is None or role.target != entry.table:
                raise Unusable
            shift = self._index.tables[player.index].columns[0] - self._index.tables[role.target].columns[0]
            return [Compare(term, operator, Term(column + shift))]
        if operand.kind == "M":
            other = self._option(operand.number)
            if other is None or other.table or other.index == column:
                raise Unusable
            if self._index.columns[other.index].kind != entry.kind:
                raise Unusable
            return [Compare(term, operator, Term(other.index))]
        if (moment := self._moment(operand, column)) is not None:
            return [Compare(term, operator, moment)]
        low, high = self._range(operand, column)
        if low is not None and high is not None:
            if entry.kind == "number":
                if operand.kind == "D":
                    return self._in_pieces(column, operator, self._encoded.times[operand.number])
                return [Compare(term, operator, Literal(str(low.year), "number"))]
            kind = "time" if entry.kind == "time" else "text"
            first, after = Literal(low.isoformat(), kind), Literal(high.isoformat(), kind)
            oneday = high - low == dt.timedelta(days=1)
            if operator == "=":
                if oneday and "timestamp" not in entry.column.type_name:
                    return [Compare(term, "=", first)]
                return [Compare(term, ">=", first), Compare(term, "<", after)]
            if operator == "<>":
                apart: tuple[tuple[Condition, ...], ...] = (
                    (Compare(term, "<", first),),
                    (Compare(term, ">=", after),),
                )
                if entry.kind == "time" and entry.column.may_be_empty:
                    apart += ((NullTest(column),),)  # what was never done was not done then
                return [AnyOf(apart)]
            if operator == ">":
                if oneday and "timestamp" not in entry.column.type_name:
                    return [Compare(term, ">", first)]
                return [Compare(term, ">=", after)]
            if operator == "<=":
                return [Compare(term, "<", after)]
            return [Compare(term, operator, first)]
        if entry.kind == "time":
            raise Unusable
        text = self.text(operand)
        of_day = "time" in entry.full and (entry.kind == "text" or entry.cast)
        if operand.kind == "N" and of_day and (_YEAR.fullmatch(text) or len(text) > _MAX_CLOCK_DIGITS):
            raise Unusable  # 'issued in 2021' is no time of the day
        if entry.kind == "number":
            try:
                float(text)
            except ValueError:
                raise Unusable from None
            return [Compare(term, operator, Literal(self.in_its_unit(operand, column), "number"))]
        sorts = of_day or bool(_YEAR.fullmatch(text) and _YEARLY & set(entry.full))
        if entry.kind == "boolean" or (operand.kind == "N" and operator in _ORDERED and not sorts):
            raise Unusable  # in texts '9' comes after '1000'
        operator = _HELD.get(operator, operator) if entry.between else operator
        return [Compare(term, operator, Literal(text, "text"))]


def _of_years(span: TimeSpan, column: ColumnEntry) -> list[TimeSpan]:
    """A time without a year in each year of a column whose rows all lie before it."""
    if column.column.period is None or span.low.isoformat() <= column.column.period[1]:
        return []
    first, last = map(dt.date.fromisoformat, column.column.period)
    years = (span.in_year(year) for year in range(first.year, last.year + 1))
    there = [s for s in years if s is not None and s.low <= last and first < s.high]
    return [s for s in there if first <= s.low and s.high <= last] or there
