"""Any symbols in any order, whatever the schema answers: the rules end in a frame, never in an exception."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from doubles.scripted_oracle import context_of

from askwire.planner.embedded.grammar import head
from askwire.planner.embedded.grammar.clauses import take_clauses
from askwire.planner.embedded.grammar.kinds import KINDS
from askwire.planner.embedded.grammar.rule import Example
from askwire.planner.embedded.grammar.rules import RULES

LINES = [re.sub(r"\[[^\]]*\]", "", example.line) for rule in RULES for example in rule.examples]
WORDS = sorted({word for line in LINES for word in line.split() if not re.fullmatch(r"[A-Z]\d*", word)})
SAID = ("orders", "sold", "late", "total", "length", "name", "kind", "days")
OTHERS = {"N": ("5", "2024", "3rd", "$500"), "V": ("1",), "D": ("2024-03",), "Q": ("x",)}


class AnyAnswer(dict[str, Any]):
    """A script that answers every question, by chance."""

    def __init__(self, chance):
        super().__init__()
        self._chance = chance

    def get(self, question, default=None):
        if question.startswith("kinds "):
            return default
        if any(words in question for words in (" same table ", " column of ", " holds ", " in unit of ")):
            return self._chance.random() < 0.5
        if self._chance.random() < 0.5:
            return None
        number = 20 + len(question)
        return (number, number + 1) if question.startswith(("times", "steps")) else number


def _line(chance):
    symbols = []
    for place in range(chance.randint(3, 14)):
        kind = chance.random()
        if kind < 0.5:
            symbols.append(chance.choice(WORDS))
        elif kind < 0.8:
            kinds = chance.sample(sorted(KINDS), chance.randint(0, 4))
            symbols.append(f"M{place}[{' '.join(kinds)} {chance.choice(SAID)}]")
        else:
            letter = chance.choice(sorted(OTHERS))
            symbols.append(f"{letter}{place}[{chance.choice(OTHERS[letter])}]")
    return " ".join(symbols)


@pytest.mark.parametrize("seed", range(10))
def test_any_line_ends_in_a_frame(seed):
    chance = random.Random(seed)
    for _ in range(30):
        line = _line(chance)
        context = context_of(Example(line, line, schema=AnyAnswer(chance)))
        frame = head.frame(take_clauses(context))
        assert {output.mention for output in frame.outputs} <= {None, *range(len(context.encoded.mentions))}
