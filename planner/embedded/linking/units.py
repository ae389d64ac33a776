"""Units: what a number with a unit measures, in which unit a column holds it, and the one in the other.

Owns: the words for units, the signs of them in names and comments of columns, conversions. '12 metres' is
1200 where a column is called draft_cm, and no price at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import lru_cache
from typing import Final

from askwire.language.structure_words import structural
from askwire.language.text import Token, listed
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a kind ('length', 'mass', 'time', …), `size` in the kind's own first unit.

    Between two that differ in `scale` no size converts: currencies, degrees.
    """

    name: str
    kind: str
    size: Decimal
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a question with its unit: the number's token, and the end of the unit's words.

    `number` is said in two units ('5 feet 10 inches'), here in the latter; '' where the token tells it. No
    column is in a unit that is not `held`.
    """

    at: int
    end: int
    unit: Unit
    number: str = ""
    held: bool = True


def _units(kind: str, table: Mapping[str, str]) -> Iterator[tuple[str, Unit]]:
    for told, words in table.items():
        names = words.split(",")
        size, _, scale = told.partition(" ")
        unit = Unit(names[0].strip(), kind, Decimal(size), scale)
        yield from ((name.strip(), unit) for name in names)


_WORDS: Final[Mapping[str, Unit]] = dict(
    (
        *_units(
            "length",
            {
                "0.001": "millimetres,millimetre,millimeter,millimeters,mm",
                "0.01": "centimetres,centimetre,centimeter,centimeters,cm,cms",
                "1": "metres,metre,meter,meters,m,mtr",
                "1000": "kilometres,kilometre,kilometer,kilometers,km,kms",
                "0.0254": "inches,inch",
                "0.3048": "feet,foot,ft",
                "0.9144": "yards,yard,yd",
                "1609.344": "miles,mile,mi",
                "1852": "nautical miles,nautical mile,nm,nmi",
            },
        ),
        *_units(
            "mass",
            {
                "0.001": "milligrams,milligram,mg",
                "1": "grams,gram,g,grammes,gr",
                "1000": "kilograms,kilogram,kg,kgs,kilo,kilos",
                "1000000": "tonnes,tonne,tons,ton,t",
                "453.59237": "pounds,pound,lb,lbs",
                "28.349523125": "ounces,ounce,oz",
            },
        ),
        *_units(
            "time",
            {
                "0.001": "milliseconds,millisecond,ms,millis,msec",
                "1": "seconds,second,sec,secs,s",
                "60": "minutes,minute,min,mins",
                "3600": "hours,hour,hr,hrs,h",
                "86400": "days,day",
                "604800": "weeks,week",
            },
        ),
        *_units("months", {"1": "months,month", "3": "quarters", "12": "years,year,yr,yrs"}),
        *_units(
            "money",
            {
                "0.01": "cents,cent,ct",
                "1 dollar": "dollars,dollar,usd,bucks,$",
                "1 euro": "euros,euro,eur,€",
                "1 sterling": "gbp,£,sterling",
            },
        ),
        *_units("part", {"1": "percent,%,pct,percentage,per cent"}),
        *_units(
            "warmth",
            {"1": "degrees,degree,°", "1 celsius": "celsius,°c", "1 fahrenheit": "fahrenheit,°f"},
        ),
        *_units(
            "speed",
            {
                "1": "km/h,kmh,kph,km h,kilometres per hour,kilometers per hour,km per hour",
                "1.609344": "mph,miles per hour",
                "1.852": "knots,knot,kn,kts",
                "3.6": "m/s,mps,metres per second,meters per second",
            },
        ),
        *_units(
            "data",
            {
                "0.0009765625": "bytes,byte",
                "1": "kilobytes,kilobyte,kb",
                "1024": "megabytes,megabyte,mb",
                "1048576": "gigabytes,gigabyte,gb",
                "1073741824": "terabytes,terabyte,tb",
            },
        ),
        *_units("volume", {"0.001": "millilitres,millilitre,ml", "1": "litres,litre,liter,liters,l"}),
        *_units(
            "area",
            {
                "1": "square metres,square meters,square metre,square meter,sqm,m2,m 2,sq m",
                "10000": "hectares,hectare,ha",
                "0.09290304": "square feet,square foot,sqft,sq ft",
                "1000000": "square kilometres,square kilometers,square kilometre,square kilometer,square km,"
                "sqkm,km2,km 2,sq km",
                "2589988.110336": "square miles,square mile,sqmi,sq mi",
            },
        ),
    )
)
_SHORT: Final = frozenset({"m", "g", "t", "s", "h", "l", "gr", "ct", "mi", "ha", "nm", "min", "kn"})
"""Too short to stand for a unit in a name unless what is measured stands before."""
_MEASURES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        listed(
            "height width depth draft draught altitude elevation distance radius diameter beam "
            "wingspan thickness range mileage"
        ),
        ("length",),
    ),
    "length": ("length", "time"),
    **dict.fromkeys(listed("weight mass payload tare load"), ("mass",)),
    **dict.fromkeys(
        listed("duration delay runtime time wait waiting lag latency elapsed downtime uptime timeout lasted"),
        ("time", "months"),
    ),
    **dict.fromkeys(
        listed(
            "price cost amount salary fee fare charge fine revenue budget balance payment wage income "
            "premium tax deposit rent debt loan credit spend sales earnings paid worth"
        ),
        ("money",),
    ),
    **dict.fromkeys(listed("pct percent percentage rate share discount ratio margin progress"), ("part",)),
    **dict.fromkeys(listed("temperature temp"), ("warmth",)),
    **dict.fromkeys(listed("tenure warranty experience"), ("months", "time")),
    **dict.fromkeys(listed("volume fuel oil water"), ("volume", "mass")),
    **dict.fromkeys(listed("speed velocity"), ("speed",)),
    "area": ("area",),
}
"""What a word of a column's name measures where nothing tells the unit."""
_POINTS: Final = frozenset(listed("year month day week quarter second"))
"""Names of a point in time rather than of how long something takes; 'second' is a place as well."""
_CLOCK: Final = {"hour": 24, "minute": 60}
"""Names of what a clock shows, where no value is as high: a goal of minute 80 has no such."""
_AGES: Final = frozenset(listed("old of ago age"))
_TAKING: Final = frozenset({"take", "took", "taking"})
_WITHIN: Final = frozenset(listed("last past next previous coming first every each top bottom final"))
_SAID: Final = re.compile(
    r"\b(?:in|\() ?([a-z%°$]{1,12}(?: miles?| metres?| meters?)?)\b|([a-z]{4,12})", re.I
)
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|%|\$")
_SIGN: Final = re.compile(r"[$€£%]")
_PART_OF_ONE: Final = re.compile(r"\b0?\.\d+\s*(?:is|=|means)\s*\d+\s*(?:percent|per cent|%)", re.I)
_MAX_SCALES_OF_A_KIND: Final = 2
_DIGITS: Final = Context(prec=10)
KNOWN_UNIT_SCORE: Final = 0.9
LIKELY_UNIT_SCORE: Final = 0.75


@dataclass(frozen=True, slots=True)
class ColumnUnits:
    """What a column holds: the unit it says, or the kinds that its name may measure."""

    unit: Unit | None
    kinds: tuple[str, ...]


def holding(column: ColumnEntry) -> ColumnUnits:
    """In which unit a column of numbers is, by its name or comment; no kinds where nothing tells."""
    source = column.column
    extent = source.extent or (None, None)
    return _holding(source.name, column.full, source.comment, source.type_name, source.common_values, *extent)


@lru_cache(maxsize=4096)
def _holding(
    name: str,
    words: tuple[str, ...],
    comment: str,
    type_name: str,
    values: tuple[str, ...],
    least: float | None,
    most: float | None,
) -> ColumnUnits:
    pieces = [p.lower() for p in _PIECE.findall(name)]
    said = [*pieces, *identifiers.words(name), *words]  # `dur_h` tells of a duration
    kinds = tuple(dict.fromkeys(k for p in said for k in _MEASURES.get(p, ())))
    unit = None if _is_of_clock(name, most) else _of_name(pieces, kinds) or _of_comment(comment, kinds)
    if (unit is not None and unit.kind == "part") or (unit is None and "part" in kinds):
        fractions = (bool(values) and all(map(_at_most_one, values))) if most is None else 0 < most <= 1
        one = bool(_PART_OF_ONE.search(comment)) or (fractions and (least is None or least >= -1))
        unit = Unit("parts of one", "part", Decimal(100)) if one else unit
    if unit is None and type_name == "money":
        kinds = ("money",)
    return ColumnUnits(unit, (unit.kind,) if unit else kinds)


def _is_of_clock(name: str, most: float | None) -> bool:
    """Whether a column shows what a clock does: no duration is compared with it."""
    return most is not None and most < _CLOCK.get(name.lower(), 0)


def _at_most_one(value: str) -> bool:
    try:
        return Decimal(value) <= 1
    except ArithmeticError:
        return False


def _of_name(pieces: Sequence[str], kinds: tuple[str, ...]) -> Unit | None:
    if not pieces or (len(pieces) == 1 and pieces[0] in _POINTS):
        return None
    last = pieces[-1]
    unit = _WORDS.get(" ".join(pieces[-2:])) or _WORDS.get(last)
    if last in {"c", "f"} and "warmth" in kinds:
        return _WORDS["celsius" if last == "c" else "fahrenheit"]
    if last == "ms" and "speed" in kinds:
        return _WORDS["mps"]
    if unit is None or (last in _POINTS and not kinds):
        return None
    return unit if last not in _SHORT or unit.kind in kinds else None


def _of_comment(comment: str, kinds: tuple[str, ...]) -> Unit | None:
    """'in metres', '(km)', 'nautical miles': the first unit that a comment's first sentence names."""
    text = re.split(r"[.;](?:\s|$)", comment.lower(), maxsplit=1)[0]
    for match in _SAID.finditer(text):
        behind, alone = match.group(1), match.group(2)
        word = (behind or alone or "").strip()
        unit = _WORDS.get(word) or _WORDS.get(word.split()[0] if word else "")
        if unit is None or (word in _POINTS | {"foot", "pound"}) or (alone and word in _SHORT):
            continue
        if "nautical" in text and unit.name == "miles":
            unit = _WORDS["nautical miles"]
        if not kinds or unit.kind in kinds or behind:
            return unit
    return None


def called(name: str) -> Unit | None:
    """The unit that goes by a name: 'square foot', 'km'."""
    return _WORDS.get(name)


def last_word(column: ColumnEntry) -> str:
    """The last word of what a column is called, without its unit: 'amount' of `amount_cents`."""
    *before, last = column.words
    return (
        before[-1] if before and called(last) is not None and called(last) == holding(column).unit else last
    )


def score(column: ColumnEntry, unit: Unit) -> float:
    """How well a column holds what has such a unit: `KNOWN_UNIT_SCORE` where it says one of the kind."""
    if column.kind != "number" or column.key:
        return 0.0
    held = holding(column)
    if held.unit is not None:
        return 0.0 if contradicts(column, unit) else KNOWN_UNIT_SCORE
    return LIKELY_UNIT_SCORE if unit.kind in held.kinds else 0.0


def contradicts(column: ColumnEntry, unit: Unit) -> bool:
    """Whether a column holds another kind of thing than the unit measures."""
    held = holding(column)
    other = held.unit is not None and len({held.unit.scale, unit.scale, ""}) > _MAX_SCALES_OF_A_KIND
    return column.key or other or (bool(held.kinds) and unit.kind not in held.kinds)


_PLAIN: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_SPANS: Final = tuple(_WORDS[name] for name in ("milliseconds", "seconds", "minutes", "hours", "days"))
_MIN_TELLING_VALUES: Final = 5
"""Known values of a column from which on they tell its unit, where its greatest is not known."""
_MAX_TIMES_AS_LONG: Final = 100
"""How many times as long as what is asked for the longest may be: who asks for hours means no thousands."""


def unit_of(column: ColumnEntry, number: str, unit: Unit | None) -> Unit | None:
    """In which unit a column is, by its name, its comment, or else its values beside a number with a unit.

    Lengths of films from 46 to 185 are minutes where 'longer than 2 hours' is asked: in any other unit all
    films are longer, or none is.
    """
    held = holding(column)
    if held.unit is not None or unit is None or not _lasts(column, unit):
        return held.unit
    fitting = _fitting(column.column.common_values, column.column.extent, number, unit)
    return fitting[0] if len(fitting) == 1 else None


def _lasts(column: ColumnEntry, unit: Unit) -> bool:
    return unit.kind == "time" and "time" in holding(column).kinds


def undecided(column: ColumnEntry, number: str, unit: Unit | None) -> bool:
    """Whether it is known from where to where a column goes, but not whether in minutes or in hours."""
    if unit is None or column.column.extent is None or not _lasts(column, unit):
        return False
    return holding(column).unit is None and unit_of(column, number, unit) is None


def measures(word: str) -> bool:
    """Whether a word of a name says that something is measured: 'length', 'duration'."""
    return word in _MEASURES


@lru_cache(maxsize=1024)
def _fitting(
    values: tuple[str, ...], extent: tuple[float, float] | None, number: str, unit: Unit
) -> tuple[Unit, ...]:
    numbers = [Decimal(v) for v in values if _is_number(v)]
    numbers += map(Decimal, extent or ())
    if (extent is None and len(numbers) < _MIN_TELLING_VALUES) or not _is_number(number):
        return ()
    span = Decimal(number) * unit.size
    least, most = min(numbers), max(numbers)
    return tuple(u for u in _SPANS if least < span / u.size < most < span / u.size * _MAX_TIMES_AS_LONG)


def _is_number(value: str) -> bool:
    return _PLAIN.fullmatch(value) is not None


def converted(column: ColumnEntry, number: str, unit: Unit | None) -> str:
    """The number as the column holds it; as it is where the column does not say its unit.

    A number of money without a unit is one of dollars, euros, …, also where the column holds cents.
    """
    held = unit_of(column, number, unit)
    said = unit
    if said is None and held is not None and held.kind == "money":
        said = _WORDS["dollars"]
    if said is None or held is None or held.kind != said.kind or held.size == said.size:
        return number
    try:
        value = _DIGITS.plus(Decimal(number) * said.size / held.size)
    except ArithmeticError:
        return number
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def spoken(tokens: Sequence[Token], closed: Collection[int], index: SchemaIndex) -> tuple[Quantity, ...]:
    """The numbers that stand before a unit ('12 metres', '5 %', '$20'), and whether some column is in it.

    A word that names a column of its own is no unit; 'the last 3 months' is a time, as are `closed` tokens.
    """
    found: dict[int, Quantity] = {}
    aged = structural(tokens)  # 'older than two years' tells an age
    for at, token in enumerate(tokens):
        if token.kind != "number" or at in closed:
            continue
        took = any(t.lemma in _TAKING for t in tokens[max(0, at - 4) : at])
        said = None if at + 1 in aged and not took else _behind(tokens, at, index)
        if said is None and (sign := _SIGN.search(token.text)):
            said = Quantity(at, at + 1, _WORDS[sign.group()])
        if said is None:
            continue
        if said.unit.name == "pounds" and not there(index, said.unit):
            said = replace(said, unit=_WORDS["sterling"])
        said = replace(said, held=bool(there(index, said.unit)))
        first = next((m for m in found.values() if m.end == at and m.unit.kind == said.unit.kind), None)
        if first is not None and first.unit.size > said.unit.size:
            found[first.at] = _together(tokens, first, said)
            if said.held:
                continue
        if at > 1 and tokens[at - 1].lower in {"and", "to", "or", "-"} and tokens[at - 2].kind == "number":
            found.setdefault(at - 2, Quantity(at - 2, at - 1, said.unit, held=said.held))
        found[at] = said
    return tuple(found.values())


def _together(tokens: Sequence[Token], first: Quantity, second: Quantity) -> Quantity:
    """'5 feet 10 inches' as one number, of inches."""
    greater = Decimal(tokens[first.at].lemma) * first.unit.size / second.unit.size
    number = _DIGITS.plus(greater + Decimal(tokens[second.at].lemma))
    return replace(second, at=first.at, number=f"{number.normalize():f}")


def _behind(tokens: Sequence[Token], at: int, index: SchemaIndex) -> Quantity | None:
    before = tokens[at - 1].lower if at else ""
    for words in (3, 2, 1):
        part = tokens[at + 1 : at + 1 + words]
        unit = _WORDS.get(" ".join(t.lower for t in part)) if len(part) == words else None
        if unit is None:
            continue
        end = at + 1 + words
        after = tokens[end].lower if end < len(tokens) else ""
        if unit.kind in {"time", "months"} and (after in _AGES or before in _WITHIN):
            return None
        return None if _named(index, tokens[at + 1 : end + 1], unit) else Quantity(at, end, unit)
    return None


def _named(index: SchemaIndex, said: Sequence[Token], unit: Unit) -> bool:
    """Whether the word is the name of a column that holds something else, or begins one: 'days held'."""
    none = frozenset[int](), frozenset[int]()
    word = said[0]
    places = index.by_word.get(word.lower, none)[1] | index.by_word.get(word.lemma, none)[1]
    columns = [index.columns[c] for c in places]
    if len(said) > 1 and (word.lemma, said[-1].lemma) in {c.words for c in columns}:
        return True
    alike = (c for c in columns if c.words in {(word.lower,), (word.lemma,)} and c.kind != "time")
    return any(
        not score(c, unit) and not _is_of_clock(c.column.name, (c.column.extent or (0, None))[1])
        for c in alike
    )


def there(index: SchemaIndex, unit: Unit) -> list[tuple[float, int]]:
    """The columns that may hold what has such a unit, best first, with their scores."""
    found = [(score(c, unit), c.index) for c in index.columns if index.tables[c.table].role is None]
    return sorted(((s, c) for s, c in found if s), key=lambda f: (-f[0], f[1]))
