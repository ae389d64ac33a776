"""What models write, read with care: JSON where it was asked for, SQL where it stands.

A model may answer as asked, or with reasoning in front, a fence around, a sentence behind, a comma too many;
it may correct itself, or say that it cannot. Owns: finding the part that was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from askwire.sql.parsing import parsed

_REASONING: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_UNOPENED_REASONING: Final = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"```[ \t]*+([\w+-]*+)[ \t]*+\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(r",(\s*[}\]])")
_QUERY: Final = re.compile(
    r"^[ \t]*(?:select|with|values|table)\b|^[ \t]*\(\s*select\b", re.IGNORECASE | re.MULTILINE
)
MAX_ANSWER_CHARACTERS: Final = 100_000
"""Characters of an answer that are looked at."""
_MAX_TRIED_PARTS: Final = 20
_MAX_OBJECTS: Final = 5
_MAX_TRAILING_LINES: Final = 12
"""Lines behind a query that may be sentences."""
_MAX_READING_CHARACTERS: Final = 200
_MAX_REASON_CHARACTERS: Final = 300
_REASON_FIELDS: Final = ("cannot", "reason", "explanation", "reading")
"""Fields that say why there is no query; what was asked for is the first."""
_MAX_MENDED_PARTS: Final = 3
"""Places where a comma too many is forgiven: looking for one takes time in a long answer."""


def without_reasoning(text: str) -> str:
    """An answer without what a model thought aloud: `<think>hm</think>42` becomes `42`."""
    kept = _REASONING.sub("", text[:MAX_ANSWER_CHARACTERS])
    return _UNOPENED_REASONING.sub("", kept).strip()


def read_object(text: str) -> Mapping[str, Any] | None:
    """The first JSON object of an answer, or None where there is none.

    `Sure: {"sql": "SELECT 1",} Hope it helps` gives `{"sql": "SELECT 1"}`.
    """
    found = _first_object(without_reasoning(text), 0)
    return found[0] if found else None


def _first_object(bare: str, at: int) -> tuple[Mapping[str, Any], int] | None:
    """The first JSON object from a place on, and where it ends."""
    start = bare.find("{", at)
    for tried in range(_MAX_TRIED_PARTS):
        if start < 0:
            break
        part = bare[start:]
        mended = _TRAILING_COMMA.sub(r"\1", part) if tried < _MAX_MENDED_PARTS else part
        for text_of in dict.fromkeys((part, mended)):
            try:
                found, length = json.JSONDecoder(strict=False).raw_decode(text_of)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                # a mended text is shorter: what is behind begins at the last brace of as many characters
                return found, start + length + len(part) - len(text_of)
        start = bare.find("{", start + 1)
    return None


def read_text(document: Mapping[str, Any] | None, field: str, longest: int = 20_000) -> str:
    """A field of text, '' where it is missing or something else."""
    value = document.get(field) if document else None
    return value.strip()[:longest] if isinstance(value, str) else ""


def read_texts(
    document: Mapping[str, Any] | None, field: str, most: int = 50, longest: int = 500
) -> tuple[str, ...]:
    """A field that is a list of texts: at most so many, none of them empty; () where it is something else.

    A single text counts as a list of one.
    """
    value = document.get(field) if document else None
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    found = (text.strip()[:longest] for text in texts[: 4 * most] if isinstance(text, str))
    return tuple(text for text in found if text)[:most]


def read_objects(
    document: Mapping[str, Any] | None, field: str, most: int = 50
) -> tuple[Mapping[str, Any], ...]:
    """A field that is a list of objects: at most so many; () where it is something else."""
    value = document.get(field) if document else None
    return tuple(one for one in value[:most] if isinstance(one, dict)) if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A query, or why there is none.

    `sql` has no semicolon at its end. `reading` is what the model says that it answers, `declined` why it
    wrote none. Both are '' where it is silent.
    """

    sql: str = ""
    reading: str = ""
    declined: str = ""


def read_answer(text: str, *, cut: bool = False) -> Answer:
    """The query of an answer, as its author meant it.

    Of several JSON objects the last that holds a query counts: an earlier one was a draft. Else a fence, else
    what begins like a query, without the sentences behind it. Where there is none the reason is the field
    `cannot`, or what else stands there. Of an answer that was `cut` only a whole object counts: the beginning
    of a query is another query. Nothing is said about whether the query is sound.
    """
    bare = without_reasoning(text)
    objects = _objects(bare)
    for document in reversed(objects):
        if sql := _trimmed(read_text(document, "sql")):
            return Answer(sql, read_text(document, "reading", _MAX_READING_CHARACTERS))
    if cut:
        return Answer()
    if not objects:
        fences = [(kind.lower(), body) for kind, body in _FENCE.findall(bare)]
        bodies = [body for kind, body in fences if kind in ("sql", "postgresql", "postgres", "pgsql")]
        bodies += [body for kind, body in fences if not kind]
        sql = next((body for body in reversed(bodies) if _QUERY.search(body)), "")
        if not sql and not fences and (begin := _QUERY.search(bare)):
            sql = _alone(bare[begin.start() :])
        if sql:
            return Answer(_trimmed(sql))
        return Answer(declined="" if fences or "{" in bare else _sentence(bare))
    said = (read_text(one, name) for one in reversed(objects) for name in _REASON_FIELDS)
    return Answer(declined=_sentence(next(filter(None, said), "")))


def read_sql(text: str, *, cut: bool = False) -> str:
    """The SQL of an answer, '' where there is none; see `read_answer`."""
    return read_answer(text, cut=cut).sql


def _objects(bare: str) -> list[Mapping[str, Any]]:
    """The JSON objects of an answer that stand side by side."""
    found: list[Mapping[str, Any]] = []
    at = 0
    while len(found) < _MAX_OBJECTS:
        part = _first_object(bare, at)
        if part is None:
            break
        document, at = part
        found.append(document)
    return found


def _alone(text: str) -> str:
    """A query without the sentences that stand behind it.

    They begin after an empty line, after a semicolon, or with a line from which on it does not parse.
    """
    lines = text.partition("\n\n")[0].rstrip().split("\n")
    for kept in range(len(lines), max(0, len(lines) - _MAX_TRAILING_LINES), -1):
        part = "\n".join(lines[:kept])
        for query in (part, part.partition(";")[0]):
            if parsed(query):
                return query
    return "\n".join(lines)


def _trimmed(sql: str) -> str:
    return sql.strip().removesuffix(";").rstrip()


def _sentence(text: str) -> str:
    """A reason in one line."""
    return " ".join(text.split())[:_MAX_REASON_CHARACTERS]
