"""Long texts cut to what a question is about, and the columns that they name (APEX-SQL's evidence linking).

Owns: that choice, by words and without a model, and which names of a catalog a text has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.planner.models.schema_text import name_of
from askwire.planner.models.texts.lexical import Index, words
from askwire.planner.models.texts.sections import sections
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.literals import quote_identifier

MAX_WHOLE_CHARACTERS: Final = 3000
"""Characters of a hint that is shown whole; a longer one is cut to as many."""
_MAX_LINE_CHARACTERS: Final = 400
_MAX_COLUMNS: Final = 20
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*){0,2}")
_QUOTED: Final = re.compile(r'`([^`\n]{1,130})`|"([^"\n]{1,130})"')


@lru_cache(maxsize=64)
def told_hint(hint: str, question: str) -> tuple[str, ...]:
    """A hint that is too long, as the parts that share words with the question, in the hint's own order.

    A short one comes back whole. Parts that define a word which another part uses count half of what that
    one does, so that a rule comes with the definitions it needs.
    """
    if len(hint) <= MAX_WHOLE_CHARACTERS:
        return (hint,)
    parts = [line for section in sections("", hint) for line in _lines(section.heading, section.text)]
    texts = [words(part) for part in parts]
    index = Index(texts)
    scores = index.scores(words(question))
    for number in sorted(scores, key=lambda n: -scores[n])[:3]:
        for other, score in index.scores(texts[number]).items():
            if other != number:
                scores[other] = max(scores.get(other, 0.0), 0.1 * score)
    kept: set[int] = set()
    left = MAX_WHOLE_CHARACTERS
    for number in sorted(scores, key=lambda n: (-scores[n], n)):
        left -= len(parts[number])
        if left < 0:
            break
        kept.add(number)
    return tuple(parts[number] for number in sorted(kept)) or (hint[:MAX_WHOLE_CHARACTERS],)


def _lines(heading: str, text: str) -> Iterable[str]:
    """A section in lines that belong together: each begins with its heading."""
    head = f"{heading}: " if heading else ""
    kept = ""
    for line in text.splitlines():
        if kept and len(kept) + len(line) > _MAX_LINE_CHARACTERS:
            yield head + kept
            kept = ""
        kept = f"{kept} {line.strip()}".strip()
    if kept:
        yield head + kept


def named_columns(
    texts: Sequence[str], catalog: Catalog, shown: Sequence[Relation]
) -> tuple[Disclosure, ...]:
    """The columns that texts name: `orders.required`, or `required` alone where one relation shown has it.

    A bare name counts where it is marked as one, in backticks or quotes, or has an underscore.
    """
    alone: dict[str, list[Relation]] = {}
    for relation in shown:
        for column in relation.columns:
            alone.setdefault(column.name.lower(), []).append(relation)
    by_name = {relation.name.lower(): relation for relation in shown}
    found: dict[tuple[int, str], Disclosure] = {}

    def link(relation: Relation, column: str) -> None:
        real = next((c.name for c in relation.columns if c.name.lower() == column), "")
        if real:
            told = f"{name_of(catalog, relation)}.{quote_identifier(real)}"
            found.setdefault((relation.oid, real), Disclosure(Kind.NAME, told, names=(relation.name, real)))

    for text in texts:
        marked = {(one or other).lower() for one, other in _QUOTED.findall(text)}
        for name in dict.fromkeys((*marked, *(n.lower() for n in _IDENTIFIER.findall(text)))):
            relation, _, column = name.rpartition(".")
            if relation.rpartition(".")[2] in by_name:
                link(by_name[relation.rpartition(".")[2]], column)
            elif not relation and (name in marked or "_" in name) and len(alone.get(name, ())) == 1:
                link(alone[name][0], name)
    return tuple(found.values())[:_MAX_COLUMNS]
