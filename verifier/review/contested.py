"""Which texts an opinion can matter for: one of each answer, of the best supported answers.

Owns: that choice, before anything is decided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from askwire.core.types import Candidate, ResultSet
from askwire.sql.canonical.normal_form import normalize

MAX_ANSWERS: Final = 3
"""Answers of which a text is shown to a reviewer: a judge's rounds rarely have more that could win."""


def contested(candidates: Sequence[Candidate], results: Mapping[str, ResultSet]) -> list[str]:
    """The proposed texts to ask about, the best supported answer's first; `results` are those that ran.

    An answer has the support of each expert that gives it once, by the expert's confidence where it has one.
    Its text is the one that most of it stands behind.
    """
    answers: dict[Hashable, dict[str, float]] = defaultdict(dict)
    texts: dict[Hashable, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for candidate in candidates:
        result = results.get(candidate.sql)
        if result is None:
            continue
        answer = normalize(result)
        own = 1.0 if candidate.confidence is None else candidate.confidence
        answers[answer][candidate.expert] = max(own, answers[answer].get(candidate.expert, 0.0))
        texts[answer][candidate.sql] += own
    best = sorted(answers, key=lambda answer: sum(answers[answer].values()), reverse=True)
    return [max(texts[answer], key=texts[answer].__getitem__) for answer in best[:MAX_ANSWERS]]
