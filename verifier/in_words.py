"""What checks and mends are about, to a person.

Owns: a phrase for each name that `Check.rule` and `Verdict.mends` can carry; names stay what programs read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from askwire.core.types import Check

CHECKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # what the question demands
        "distinct": "each thing comes once",
        "top_k": "as many rows as asked for",
        "ranking": "ranks are given",
        "counting": "what is asked for is counted",
        "percentage": "a share is given",
        "summation": "what is asked for is added up",
        "average": "an average is given",
        "extreme": "the largest or smallest is looked for",
        "temporal": "the end in time that is asked for",
        "comparison": "the comparison that is asked for",
        "negation": "what is denied is left out",
        "both": "both conditions hold",
        "per_group": "a row for each group",
        "quoted": "what is quoted in the question is in the SQL",
        "numbers": "the numbers of the question are in the SQL",
        "ordering": "the order that is asked for",
        "several_rows": "rows in an order, not one of them",
        "ties": "ties are kept",
        "columns": "as many columns as asked for",
        "column_order": "the columns in the order asked for",
        "sole_answer": "nothing beside what is asked for",
        "threshold": "how many there must be",
        "only": "nothing else is there",
        # what the answer shows
        "one_number": "the answer is one number",
        "not_empty": "the answer has rows",
        "not_all_null": "the answer is not all NULL",
        "not_zero": "the answer is not a single zero",
        "not_too_large": "the answer is not too large",
        # what the structure shows
        "fan_out": "no join multiplies what is added up",
        "integer_division": "no division loses its fraction",
        "not_in_null": "NOT IN meets no NULL",
        "outer_join_undone": "no condition undoes an outer join",
        "nulls_first": "NULLs do not come first",
        "text_order": "text that holds numbers or dates is not ordered as text",
        "unused_join": "every join is used",
        "cross_join": "every join has a condition",
        "luck": "no row is arbitrary",
        "literal_variants": "constants are spelled as in the data",
        "literal_unknown": "constants are known in the data",
        "wide_pattern": "patterns take no more values than meant",
        "denied_row": "the thing is denied, not one row of it",
        "bare_key": "names are shown, not bare keys",
        # what was looked up
        "literal_occurs": "constants occur in the data",
        "literal_spelled": "constants are spelled as in the data",
        # what trying it took
        "cost": "the plan is cheap enough to try",
        "time": "it ends in the time there is to try it",
        # what models think
        "critique": "a model found nothing against the SQL",
        "demands": "a model found all demands met",
        "answer": "a model found nothing against the answer",
    }
)
"""By the name of the check, what is so where it holds."""

MENDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "doubled_equals": "== written as =",
        "casts": "a cast added",
        "foreign_dialect": "put into PostgreSQL's dialect",
        "identifier_case": "names spelled in their case",
        "unknown_tables": "tables called by their names",
        "quoted_literals": "texts put into single quotes",
        "output_names": "output names replaced by what they stand for",
        "unknown_columns": "columns called by their names",
        "ambiguous_columns": "columns told apart by their tables",
        "nested_aggregates": "an aggregate of an aggregate resolved",
        "group_by": "GROUP BY completed",
        "distinct_order": "DISTINCT and ORDER BY reconciled",
        "one_of_many": "compared with each of several values",
        "linked_labels": "a label looked up where it stands",
        "nulls_last": "NULLs put last",
        "not_in_nulls": "NULLs kept out of NOT IN",
    }
)
"""By the name of the mend, what was done."""


def check_in_words(rule: str) -> str:
    """What is so where a check holds."""
    return CHECKS.get(rule) or rule.replace("_", " ").replace("-", " ")


def mend_in_words(mend: str) -> str:
    """What was done to a text; a repair is called by who made it already."""
    return MENDS.get(mend) or mend


def told(check: Check) -> str:
    """One check in a line: what is so, or that it is not, and what was found."""
    words = check_in_words(check.rule)
    if check.held:
        return words
    return f"not so: {words}{f' ({check.message})' if check.message else ''}"
