"""What models write, read with care: JSON where it was asked for, SQL where it stands.

A model may answer as asked, or with reasoning in front, a fence around, a sentence behind, a comma too many.
Owns: finding the part that was asked for. Must not know: what it means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LATE_THOUGHT: Final = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"```[ \t]*+([\w+-]*+)[ \t]*+\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_COMMA: Final = re.compile(r",(\s*[}\]])")
_QUERY: Final = re.compile(
    r"^[ \t]*(?:select|with|values|table)\b|^[ \t]*\(\s*select\b", re.IGNORECASE | re.MULTILINE
)
MAX_ANSWER: Final = 100_000
"""Characters of an answer that are looked at."""
_MOST_TRIED: Final = 20
_MOST_MENDED: Final = 3
"""Places where a comma too many is forgiven: looking for one takes time in a long answer."""


def without_reasoning(text: str) -> str:
    """An answer without what a model thought aloud: `<think>hm</think>42` becomes `42`."""
    kept = _THOUGHT.sub("", text[:MAX_ANSWER])
    return _LATE_THOUGHT.sub("", kept).strip()


def read_object(text: str) -> Mapping[str, Any] | None:
    """The first JSON object of an answer, or None where there is none.

    `Sure: {"sql": "SELECT 1",} Hope it helps` gives `{"sql": "SELECT 1"}`.
    """
    bare = without_reasoning(text)
    tried = 0
    start = bare.find("{")
    while start >= 0 and tried < _MOST_TRIED:
        tried += 1
        part = bare[start:]
        for text_of in (part, _COMMA.sub(r"\1", part)) if tried <= _MOST_MENDED else (part,):
            try:
                found, _ = json.JSONDecoder(strict=False).raw_decode(text_of)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                return found
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


def read_sql(text: str, *, cut: bool = False) -> str:
    """The SQL of an answer: the field `sql` of an object, else a fence, else what begins like a query.

    Without a semicolon at its end; '' where there is none. Of an answer that was `cut` only a whole object
    counts: the beginning of a query is another query. Nothing is said about whether it is sound.
    """
    sql = read_text(read_object(text), "sql")
    if not sql and not cut:
        bare = without_reasoning(text)
        fences = [(kind.lower(), body) for kind, body in _FENCE.findall(bare)]
        bodies = [body for kind, body in fences if kind in ("sql", "postgresql", "postgres", "pgsql")]
        bodies += [body for kind, body in fences if not kind]
        sql = next((body.strip() for body in reversed(bodies) if _QUERY.search(body)), "")
        if not sql and not fences and (begin := _QUERY.search(bare)):
            sql = bare[begin.start() :].partition("\n\n")[0].strip()
    return sql.strip().removesuffix(";").rstrip()
