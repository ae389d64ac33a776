"""How values are written in text files, and what each spelling is to PostgreSQL.

Owns: the spellings of numbers, money, percentages, dates, times and booleans, each as a quick refusal in
Python and as a DuckDB condition that decides, with the expression that rewrites its values as PostgreSQL
reads them.

In conditions and expressions `{v}` is the value, a VARCHAR that is not NULL and has no blanks around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

NULL_ALWAYS: Final = ("", "NULL", "\\N")
"""Spellings of NULL in every column."""

NULL_AMONG_VALUES: Final = (
    *("null", "na", "n/a", "nan", "none", "nil", "-", "--", "—", "–", "?", ".", "..", "...", "#n/a", "#na"),
    *("#value!", "#ref!", "#div/0!", "(null)", "<na>", "missing", "unknown", "n.a.", "k.a.", "not available"),
)
"""Spellings of NULL, in lower case, in columns that else hold numbers, dates or booleans.

In columns of text they are text.
"""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write the values of a column.

    `looks` refuses in Python and never refuses what `fits` accepts. `value` gives the text PostgreSQL reads
    as `type`; both sexes of a pair such as yes and no must occur where `both` is set, since a lone 'F' or 'N'
    means something else. `unit` is an expression whose values may not differ within a column.
    """

    name: str
    looks: re.Pattern[str]
    fits: str
    value: str
    type: str
    both: tuple[str, str] | None = None
    unit: str = ""
    day_first: bool | None = None
    """For dates of the form 1/2/2024: whether the day comes first; None where it cannot be mistaken."""

    @property
    def reading(self) -> str:
        """In words, how it reads what another spelling reads otherwise; '' where none does."""
        if self.day_first is not None:
            return "the day first" if self.day_first else "the month first"
        if "comma" in self.name or self.name == "1.234,5":
            return "a decimal comma"
        return "a comma between thousands" if self.name in ("1,234.5", "percent", "money") else ""

    def condition(self, value: str) -> str:
        """`fits` of an expression."""
        return self.fits.replace("{v}", value)

    def rewritten(self, value: str) -> str:
        """`value` of an expression."""
        return self.value.replace("{v}", value)


def _matches(pattern: str, expression: str = "{v}") -> str:
    return f"regexp_full_match({expression}, '{pattern.replace(chr(39), chr(39) * 2)}')"


def _by_pattern(name: str, pattern: str, type_: str, value: str = "{v}", unit: str = "") -> Spelling:
    return Spelling(name, re.compile(f"(?:{pattern})\\Z"), _matches(pattern), value, type_, unit=unit)


def _pair(yes: str, no: str, *, both: bool = False) -> Spelling:
    return Spelling(
        f"{yes} or {no}",
        re.compile(f"(?:{yes}|{no})\\Z", re.IGNORECASE),
        f"lower({{v}}) IN ('{yes}', '{no}')",
        f"CASE lower({{v}}) WHEN '{yes}' THEN 'true' ELSE 'false' END",
        "boolean",
        both=(yes, no) if both else None,
    )


# Numbers: with a point, in groups by comma; with a comma, in groups by point, apostrophe or blank. A comma
# with exactly three digits behind is a group where every value of the column allows it.
_PLAIN = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+"
_POINT = rf"(?:[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|{_PLAIN})"
_COMMA = r"(?:[1-9][0-9]{0,2}(?:[.’' \x{a0}\x{202f}][0-9]{3})+|0|[1-9][0-9]*)(?:,[0-9]+)?"
_SWISS = r"(?:[1-9][0-9]{0,2}(?:[’'][0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?"
_GROUPED = "regexp_replace({v}, '[^0-9.()+-]', '', 'g')"
_GROUPED_COMMA = "replace(regexp_replace({v}, '[^0-9,()+-]', '', 'g'), ',', '.')"

_CODES = "USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|CNY|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN"
_CURRENCY = rf"(?:[$€£¥₹₽₩₺₴₪฿₫₱]|US\$|A\$|C\$|R\$|{_CODES}|zł|Kč|kr|Fr\.)"
_BLANK = r"[ \x{a0}\x{202f}]?"
_SYMBOL = f"nullif(regexp_extract({{v}}, '{_CURRENCY}'), '')"


def _python(pattern: str) -> str:
    """The same pattern as Python writes it."""
    return re.sub(r"\\x\{([0-9a-f]+)\}", lambda m: chr(int(m[1], 16)), pattern)


def _signed(cleaned: str) -> str:
    """The number in text that has only digits, point, sign and brackets: (5) and 5- are negative."""
    digits = f"regexp_replace({cleaned}, '[()+-]', '', 'g')"
    return f"CASE WHEN {{v}} LIKE '%-%' OR {{v}} LIKE '(%' THEN '-' ELSE '' END || {digits}"


def _number(name: str, pattern: str, cleaned: str) -> Spelling:
    whole = f"[+-]?{pattern}|{pattern}-|[(]{pattern}[)]"
    return Spelling(
        name, re.compile(f"(?:{_python(whole)})\\Z"), _matches(whole), _signed(cleaned), "numeric"
    )


def _money(name: str, pattern: str, cleaned: str) -> Spelling:
    amount = f"{_BLANK}(?:{pattern}){_BLANK}"
    one = f"[+-]?{_BLANK}{_CURRENCY}{_BLANK}[+-]?{amount}|[+-]?{amount}{_CURRENCY}|[+-]?{amount}"
    whole = f"(?:{one})-?|[(](?:{one})[)]"
    # the point of 'Fr.' is no part of the number
    bare = cleaned.replace("{v}", f"regexp_replace({{v}}, '{_CURRENCY}', '')")
    return Spelling(
        name, re.compile(f"(?:{_python(whole)})\\Z"), _matches(whole), _signed(bare), "numeric", unit=_SYMBOL
    )


def _percentage(name: str, pattern: str, cleaned: str) -> Spelling:
    whole = f"[+-]?(?:{pattern}){_BLANK}%"
    return Spelling(
        name, re.compile(f"(?:{_python(whole)})\\Z"), _matches(whole), _signed(cleaned), "numeric", unit="'%'"
    )


_SHORT_MONTH = "(?:[A-Z][a-z]{2}|[a-z]{3}|[A-Z]{3})"
_LONG_MONTH = "(?:[A-Za-z]{3,9})"
_DIRECTIVES: Final = {
    "%Y": "[12][0-9]{3}",
    "%y": "[0-9]{2}",
    "%m": "(?:0?[1-9]|1[0-2])",
    "%d": "(?:0?[1-9]|[12][0-9]|3[01])",
    "%H": "(?:[01]?[0-9]|2[0-3])",
    "%I": "(?:0?[1-9]|1[0-2])",
    "%M": "[0-5][0-9]",
    "%S": "[0-5][0-9]",
    "%f": "[0-9]{1,6}",
    "%p": "(?:AM|PM|am|pm)",
    "%b": _SHORT_MONTH,
    "%B": _LONG_MONTH,
}
_CLOCKS: Final = (" %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S", ", %H:%M")
_DATES: Final = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y"),
    *("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y", "%b %d, %Y", "%b %d %Y", "%d. %b %Y"),
    *("%d %B %Y", "%d-%B-%Y", "%B %d, %Y", "%B %d %Y", "%A, %B %d, %Y"),
)
_DAY_FIRST = re.compile("%d[/-]%m[/-]%")
_MONTH_FIRST = re.compile("%m[/-]%d[/-]%")


def _dated(form: str) -> Spelling:
    pattern = re.sub("%[a-zA-Z]", lambda m: _DIRECTIVES.get(m[0], "[A-Z][a-z]+"), form.replace(".", "[.]"))
    parsed = f"try_strptime({{v}}, '{form}')"
    timed = "%H" in form or "%I" in form
    day_first = True if _DAY_FIRST.match(form) else False if _MONTH_FIRST.match(form) else None
    return Spelling(
        form,
        re.compile(f"(?:{pattern})\\Z"),
        # The pattern keeps years of one digit away; strptime knows how many days a month has.
        f"({_matches(pattern)} AND {parsed} IS NOT NULL)",
        f"CAST({parsed} AS {'TIMESTAMP' if timed else 'DATE'})::VARCHAR",
        "timestamp" if timed else "date",
        day_first=day_first,
    )


_ISO = "[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_ISO_TIME = f"{_ISO}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{{1,9}})?)?"

INTEGER: Final = Spelling(
    "integer",
    re.compile(r"-?(?:0|[1-9][0-9]{0,18})\Z"),
    # Back and forth: '007', '1_000' and '1e3' are numbers to DuckDB's cast, and no integers here.
    "(CAST(try_cast({v} AS BIGINT) AS VARCHAR) = {v})",
    "{v}",
    "bigint",
)

SPELLINGS: Final[tuple[Spelling, ...]] = (
    _pair("true", "false"),
    _pair("yes", "no"),
    _pair("ja", "nein"),
    _pair("oui", "non", both=True),
    _pair("t", "f", both=True),
    _pair("y", "n", both=True),
    INTEGER,
    _by_pattern("digits", "[+-]?[1-9][0-9]*|0", "numeric"),
    _by_pattern("decimal", r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)", "numeric"),
    _by_pattern(
        "float",
        r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?",
        "double precision",
    ),
    _number("1,234.5", _POINT, _GROUPED),
    _number("1.234,5", _COMMA, _GROUPED_COMMA),
    _number("1'234.5", _SWISS, _GROUPED),
    _percentage("percent", _POINT, _GROUPED),
    _percentage("percent with a comma", _COMMA, _GROUPED_COMMA),
    _money("money", _POINT, _GROUPED),
    _money("money with a comma", _COMMA, _GROUPED_COMMA),
    _money("money with an apostrophe", _SWISS, _GROUPED),
    Spelling(
        "%Y-%m-%d",
        re.compile(f"(?:{_ISO})\\Z"),
        f"({_matches(_ISO)} AND try_cast({{v}} AS DATE) IS NOT NULL)",
        "{v}",
        "date",
    ),
    Spelling(
        "%Y-%m-%d %H:%M:%S",
        re.compile(f"(?:{_ISO_TIME})\\Z"),
        f"({_matches(_ISO_TIME)} AND try_cast(replace({{v}}, ',', '.') AS TIMESTAMP) IS NOT NULL)",
        "replace({v}, ',', '.')",
        "timestamp",
    ),
    Spelling(
        "%Y-%m-%d %H:%M:%S%z",
        re.compile(f"(?:{_ISO_TIME}(?:Z| ?UTC| ?[+-][0-9]{{2}}(?::?[0-9]{{2}})?))\\Z"),
        f"({_matches(_ISO_TIME + '(?:Z| ?UTC| ?[+-][0-9]{2}(?::?[0-9]{2})?)')} "
        f"AND try_cast(replace(substr({{v}}, 1, 19), 'T', ' ')[:10] AS DATE) IS NOT NULL)",
        "replace({v}, ',', '.')",
        "timestamp with time zone",
    ),
    *map(_dated, _DATES),
    *(_dated(f"{date}{clock}") for date in ("%Y-%m-%d", *_DATES[:20]) for clock in _CLOCKS),
    _by_pattern("%H:%M:%S", r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?", "time"),
)
"""Every spelling, the most specific first: of those that fit a column, the first is its type."""

DATED: Final = tuple(one for one in SPELLINGS if one.type.startswith(("date", "timestamp")))
"""The spellings of text in files whose other types are told by the file."""
