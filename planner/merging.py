"""Candidates of several experts that are one query, before anything of them is run.

Owns: giving them one text. Each expert keeps its own candidate: votes, weights and confidences are the
experts', and what is sent is counted by texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askwire.core.beside import beside
from askwire.core.types import Candidate
from askwire.sql.canonical.query_form import query_form


async def merge(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates in their order; those of one form have the first one's text, and name each other.

    `SELECT o.id FROM orders o` of one expert and `select orders.id from orders` of another become the former
    of both. What one expert alone proposed stays as it is, and so do two texts of one expert.
    """
    if len({candidate.expert for candidate in candidates}) < 2:
        return list(candidates)
    forms = {}
    for sql in dict.fromkeys(candidate.sql for candidate in candidates):
        forms[sql] = await beside(query_form, sql)
    first: dict[str, str] = {}
    experts: dict[str, dict[str, None]] = {}
    for candidate in candidates:
        form = forms[candidate.sql]
        first.setdefault(form, candidate.sql)
        experts.setdefault(form, {})[candidate.expert] = None
    merged = []
    for candidate in candidates:
        form = forms[candidate.sql]
        others = tuple(name for name in experts[form] if name != candidate.expert)
        merged.append(replace(candidate, sql=first[form], also=others) if others else candidate)
    return merged
