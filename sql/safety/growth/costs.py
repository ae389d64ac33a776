"""What PostgreSQL's own functions cost where nothing inside them looks at the clock.

A statement hears its time-out between rows, not within a call. Nanoseconds are of the slowest case measured
(`python -m askwire.bench.security.outlasting`), rounded up; what is heard is not here. Owns: the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Shape(Enum):
    """What the time of a call grows with."""

    LENGTH = auto()
    """The characters of its arguments together."""
    LENGTHS = auto()
    """The characters of the first argument times those of the second."""
    COUNTS = auto()
    """The elements or points of the first argument times those of the second."""
    SQUARE = auto()
    """The square of the characters of its arguments."""
    DIGITS = auto()
    """The digits of the first number times those of the second one, or its own."""
    CALL = auto()
    """Nothing: each call may take so long."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Nanoseconds per unit of a shape."""

    shape: Shape
    nanoseconds: float


USUAL: Final = Cost(Shape.LENGTH, 5)
"""Any function or operator that reads its arguments once."""

FUNCTIONS: Final[Mapping[str, Cost]] = {
    **dict.fromkeys(
        ("strpos", "position", "replace", "split_part", "string_to_array", "string_to_table"),
        Cost(Shape.LENGTHS, 1.5),
    ),
    **dict.fromkeys(("btrim", "ltrim", "rtrim", "translate"), Cost(Shape.LENGTHS, 15)),
    **dict.fromkeys(("normalize", "is_normalized"), Cost(Shape.SQUARE, 30)),
    "ts_rank_cd": Cost(Shape.SQUARE, 5),
    **dict.fromkeys(("div", "mod", "lcm", "sqrt"), Cost(Shape.DIGITS, 0.05)),
    **dict.fromkeys(("exp", "ln", "log", "log10"), Cost(Shape.CALL, 2e7)),
    **dict.fromkeys(
        ("plainto_tsquery", "phraseto_tsquery", "ts_rank", "tsquery_phrase"), Cost(Shape.SQUARE, 0.5)
    ),
    **dict.fromkeys(("to_tsvector", "json_to_tsvector", "jsonb_to_tsvector"), Cost(Shape.LENGTH, 150)),
    **dict.fromkeys(
        ("regexp_split_to_array", "jsonb_object", "to_jsonb", "multirange"), Cost(Shape.LENGTH, 150)
    ),
    # each call of a chain copies the whole value, element by element
    **dict.fromkeys(
        (
            *("jsonb_set", "jsonb_set_lax", "jsonb_insert", "jsonb_strip_nulls", "json_strip_nulls"),
            *("array_remove", "array_replace", "array_append", "array_prepend", "array_cat"),
        ),
        Cost(Shape.LENGTH, 20),
    ),
    **dict.fromkeys(
        ("parse_ident", "to_char", "to_date", "to_number", "to_timestamp"), Cost(Shape.LENGTH, 150)
    ),
}

POWER: Final = Cost(Shape.DIGITS, 0.05)
"""Of the digits that come out, where the exponent is a whole number."""

FRACTIONAL_POWER: Final = Cost(Shape.CALL, 1e8)
"""Where it is none, or nothing is known of it."""

OPERATORS: Final[Mapping[str, Cost]] = {
    **dict.fromkeys(("*", "/", "%"), Cost(Shape.DIGITS, 0.05)),
    **dict.fromkeys(("~~", "!~~", "~~*", "!~~*"), Cost(Shape.LENGTHS, 3)),
    **dict.fromkeys(("@>", "<@", "&&", "?|", "?&", "-"), Cost(Shape.COUNTS, 100)),
    **dict.fromkeys(
        ("<->", "~=", "?#", "##", "#", "&<", "&>", "<<", ">>", "<<|", "|>>", "&<|", "|&>"),
        Cost(Shape.COUNTS, 2000),
    ),
}

CASTS: Final[Mapping[str, Cost]] = {
    **dict.fromkeys(("json", "jsonb", "tsvector"), Cost(Shape.LENGTH, 150)),
    "tsquery": Cost(Shape.SQUARE, 0.5),
    **dict.fromkeys(
        (
            *("datemultirange", "int4multirange", "int8multirange"),
            *("nummultirange", "tsmultirange", "tstzmultirange"),
        ),
        Cost(Shape.LENGTH, 500),
    ),
}
"""By the type that a value is made into."""

SHORT_RESULTS: Final = frozenset(
    (
        *("ascii", "bit_length", "cardinality", "char_length", "character_length", "length", "octet_length"),
        *("strpos", "position", "starts_with", "array_length", "array_lower", "array_upper", "array_ndims"),
        *("array_position", "jsonb_array_length", "json_array_length", "jsonb_typeof", "json_typeof"),
        *("regexp_count", "regexp_instr", "regexp_like", "md5", "sha224", "sha256", "sha384", "sha512"),
        *("crc32", "crc32c", "ts_rank", "ts_rank_cd", "numnode", "npoints", "isempty", "is_normalized"),
        *("num_nulls", "num_nonnulls", "pg_typeof", "get_bit", "get_byte", "bit_count", "width_bucket"),
        *("count", "bool_and", "bool_or", "every", "rank", "row_number"),
        *("dense_rank", "ntile", "percent_rank", "cume_dist", "jsonb_path_exists", "jsonb_path_match"),
        *("extract", "date_part", "to_date", "to_timestamp", "date_trunc", "now", "area"),
    )
)
"""Functions whose result is short whatever they are given."""

GATHERING: Final = frozenset(
    (
        *("string_agg", "array_agg", "json_agg", "json_agg_strict", "jsonb_agg", "jsonb_agg_strict"),
        *("json_object_agg", "json_object_agg_strict", "json_object_agg_unique"),
        *("json_object_agg_unique_strict", "jsonb_object_agg", "jsonb_object_agg_strict"),
        *("jsonb_object_agg_unique", "jsonb_object_agg_unique_strict", "range_agg"),
    )
)
"""Aggregates whose result grows with the rows."""

AGGREGATES: Final = GATHERING | frozenset(
    (
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "any_value",
        "mode",
        "stddev",
        "variance",
    )
)
"""Functions that make one row of many where there is no GROUP BY; one that is not known leaves them many."""

SPLITTING: Final = frozenset(
    (
        *("string_to_array", "regexp_split_to_array", "regexp_matches", "regexp_match", "tsvector_to_array"),
        *("string_to_table", "regexp_split_to_table", "json_array_elements", "jsonb_array_elements"),
        *("json_array_elements_text", "jsonb_array_elements_text", "json_each", "jsonb_each"),
        *("json_each_text", "jsonb_each_text", "jsonb_object_keys", "json_object_keys", "unnest"),
        *("generate_subscripts", "jsonb_path_query", "jsonb_to_recordset", "json_to_recordset"),
    )
)
"""Functions that make as many elements or rows as their first argument may have."""

GROWING: Final = frozenset(("replace", "regexp_replace", "array_replace", "array_to_string", "overlay"))
"""Functions that may put one argument in many places of another."""
