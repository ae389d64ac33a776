"""PostgreSQL's own functions that a question needs (ReCAPAgent-SQL's syntax retriever).

Words of the question or of the plan call for a function (`CUES`), or name one; where none does nothing is
shown: what a comment in the catalog shares with a question by chance helps no one. How a function is called
is read from the server's catalog, as the asker and once per version. Owns: the cues, that reading, and which
functions are shown: only those the gate lets every query use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.beside import beside
from askwire.core.egress import Disclosure, Kind
from askwire.core.types import Row
from askwire.llm.estimate import tokens
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.notes import Note, SoFar, note_of
from askwire.sql.literals import array_text
from askwire.sql.safety.functions import review

MAX_FUNCTION_TOKENS: Final = 300
"""Tokens of all that is shown."""
_MAX_FUNCTIONS: Final = 5
_MAX_FORMS: Final = 3
"""Ways to call one function that are shown."""
_MAX_VERSIONS: Final = 4
_TIMEOUT_MS: Final = 2000

CUES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"\b(?:month|quarter|week)ly\b(?! (?:fee|rent\w*|cost|rate|price|salary)s?\b)", ("date_trunc",)),
    (r"\b(?:per|each|every|by) (?:calendar )?(?:month|quarter|week)\b", ("date_trunc",)),
    (r"\b(?:previous|this|current|last) (?:calendar |iso )?(?:month|quarter|week)\b", ("date_trunc",)),
    (r"\b(?:last|past|previous) \w+ (?:months|quarters|weeks)\b", ("date_trunc",)),
    (r"\bweekends?\b|\bweekdays?\b|\bdays? of (?:the )?week\b", ("extract",)),
    (r"\bmedians?\b|\bpercentiles?\b|\bquartiles?\b", ("percentile_cont",)),
    (r"\bstandard deviations?\b|\bstddev\b", ("stddev_samp",)),
    (r"\bvariances?\b", ("var_samp",)),
    (r"\bcorrelat\w+\b", ("corr",)),
    (r"\bcomma[- ]separated\b|\bconcatenated?\b|\bin one (?:cell|line|string)\b", ("string_agg",)),
    (r"\b(?:month|year)[- ](?:over|on)[- ](?:month|year)\b|\bmom\b|\byoy\b", ("lag",)),
    (r"\bchange from (?:the )?(?:last|previous)\b", ("lag",)),
    (r"\bcompared (?:to|with) the (?:previous|last|prior) (?:month|week|year|quarter|day)\b", ("lag",)),
    (r"\brank(?:ed|ing)? (?:within|in each|per|for each)\b", ("rank", "dense_rank")),
    (r"\bfor (?:each|every) of the (?:last|past)\b", ("generate_series",)),
    (r"\brounded\b|\bdecimal (?:place|digit)s?\b", ("round",)),
    (r"\bfirst letters?\b|\binitials?\b|\bfirst \w+ (?:letters|characters)\b", ("left",)),
    (r"\blast \w+ (?:letters|characters|digits)\b", ("right",)),
    (r"\bcharacter length\b|\bnumber of characters\b|\bhow many (?:letters|characters)\b", ("length",)),
    (r"\bupper ?case\b|\bin capitals\b", ("upper",)),
    (r"\blower ?case\b", ("lower",)),
    (r"\bemail domains?\b|\bdomain of (?:the |their )?e-?mails?\b", ("split_part",)),
    (r"\babsolute (?:value|difference)s?\b", ("abs",)),
    (r"\bsquare roots?\b", ("sqrt",)),
)
"""Words, and the functions that they call for; each pattern is of what no one says without meaning it."""
_CUES: Final = tuple((re.compile(pattern, re.IGNORECASE), names) for pattern, names in CUES)
_FUNCTION_NAME: Final = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[a-z_]+(?=\()")

# OIDs below 16384 are the server's own: no one's function or comment is among them
_FUNCTIONS: Final = """
SELECT p.proname,
       p.proname || '(' || pg_catalog.pg_get_function_arguments(p.oid) || ') returns '
           || pg_catalog.pg_get_function_result(p.oid),
       pg_catalog.obj_description(p.oid, 'pg_proc')
FROM pg_catalog.pg_proc p
WHERE p.oid < 16384 AND p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
  AND p.prokind IN ('f', 'a', 'w') AND p.proname = ANY ($1::pg_catalog.text[])
  AND pg_catalog.obj_description(p.oid, 'pg_proc') !~ '^(implementation of|internal|I/O|deprecated|convert )'
ORDER BY p.proname, p.pronargs, p.oid
"""


@dataclass(frozen=True, slots=True)
class FunctionDescription:
    """A function: its name, the ways to call it, and what PostgreSQL says of it."""

    name: str
    forms: tuple[str, ...]
    comment: str

    @property
    def told(self) -> str:
        """As a prompt has it."""
        return f"{'; '.join(self.forms[:_MAX_FORMS])}: {self.comment}"


def called_for(text: str) -> tuple[str, ...]:
    """What words call for, or a text names with an underscore or parenthesis; each once."""
    found = [name for pattern, names in _CUES if pattern.search(text) for name in names]
    return tuple(dict.fromkeys([*_FUNCTION_NAME.findall(text.lower()), *found]))


class _Manual:
    """All of one version, by name."""

    def __init__(self, rows: Sequence[Row]) -> None:
        forms: dict[tuple[str, str], list[str]] = {}
        for name, form, comment in rows:
            forms.setdefault((name or "", comment or ""), []).append(form or "")
        self._entries: dict[str, FunctionDescription] = {}
        for (name, comment), ways in forms.items():
            self._entries.setdefault(name, FunctionDescription(name, tuple(ways), comment))

    def __len__(self) -> int:
        return len(self._entries)

    def about(self, text: str) -> list[FunctionDescription]:
        """The entries that a text calls for."""
        return [self._entries[name] for name in called_for(text) if name in self._entries][:_MAX_FUNCTIONS]


class Functions:
    """`planner.models.notes.Noting` over the catalog of functions; kept for the last few versions."""

    name = "functions"

    def __init__(self) -> None:
        self._known: dict[int, _Manual] = {}

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """The functions that may be of use; the trace names them. Raises DatabaseFailed."""
        if not asking.course.syntax:
            return None
        manual = await self._manual(asking)
        asked = " ; ".join((asking.planning.question.text, *so_far.steps, *so_far.keywords))
        told: list[FunctionDescription] = []
        left = so_far.bound(MAX_FUNCTION_TOKENS)
        for one in manual.about(asked):
            left -= tokens(one.told)
            if left < 0:
                break
            told.append(one)
        asking.record("looked up", functions=[one.name for one in told], of=len(manual))
        return note_of(
            asking.prompts["note_functions"],
            functions=[Disclosure(Kind.FUNCTION, one.told) for one in told],
        )

    async def _manual(self, asking: ExpertTask) -> _Manual:
        version = asking.planning.session.server_version
        if version not in self._known:
            async with asking.planning.executor.batch() as batch:
                called = await batch.read(
                    _FUNCTIONS, [array_text(sorted(review().allowed))], timeout_ms=_TIMEOUT_MS
                )
            manual = await beside(_Manual, called.rows)
            self._known[version] = manual
            for old in list(self._known)[:-_MAX_VERSIONS]:
                del self._known[old]
        return self._known[version]
