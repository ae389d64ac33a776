"""`./ask bench engine --trace` and `--order`: what they print, as docs/grammar.md shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from doubles.scripted_oracle import context_of

from askwire.bench import cli
from askwire.bench.engine import trace
from askwire.planner.embedded.grammar.order import ordered
from askwire.planner.embedded.grammar.rules import RULES
from askwire.planner.embedded.grammar.shown import clauses

DOCS = Path(__file__).parents[3] / "docs" / "grammar.md"
QUESTION = "Which customers from Paris placed more than 3 orders?"


def _block(language):
    found = re.search(rf"```{language}\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return found[1]


async def test_the_trace_is_as_documented(plan):
    lines, figures = await trace.traced(plan(QUESTION))
    assert "\n".join(lines) + "\n" == _block("text")
    assert figures["rules"] == ["counts/beyond", "values/value"]
    assert f"'{QUESTION}'" in DOCS.read_text(encoding="utf-8")


async def test_a_refused_question_says_which_pass_refused_it_and_why(plan):
    lines, figures = await trace.traced(plan("why is the sky blue?"))
    assert lines[-2:] == ["pass refuse_unknown", lines[-1]]
    assert lines[-1].startswith("  refused NL002: ")
    assert figures["proposals"] == 0


async def test_what_a_rule_asks_of_the_schema_is_named(plan):
    lines, _ = await trace.traced(plan("the 3 most expensive products"))
    at = lines.index("    superlatives/extreme")
    assert lines[at + 1 : at + 3] == ["      → the M0 S", "      top 3 by M1 (expensive, of M0)"]
    assert lines[at + 3].startswith("    M1 may be products.price")


def test_the_documented_rule_does_what_its_examples_say():
    made: dict = {}
    exec(compile(_block("python"), str(DOCS), "exec"), made)
    (rule,) = made["RULES"]
    for example in rule.examples:
        context = context_of(example)
        rule.apply(context)
        assert (context.symbols, tuple(clauses(context))) == (example.result, example.clauses)
    others = [one for one in RULES if one.name != rule.name]
    turned = ordered((rule, *reversed(others)))
    assert [one.name for one in turned] == [one.name for one in ordered((*others, rule))]


def test_the_order_names_every_rule_and_what_it_waits_for(capsys):
    assert cli.main(["engine", "--order"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert json.loads(printed[-1]) == {"rules": len(RULES)}
    assert [line.split()[1] for line in printed[:-1]] == [rule.name for rule in RULES]
    assert "after question_words" in next(line for line in printed if "compounds/modifier" in line)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["engine"], "bench engine needs --dsn, or --order"),
        (["engine", "--dsn", "host=x"], "bench engine needs --questions, --trace or --order"),
    ],
)
def test_what_is_missing_is_said(arguments, said, capsys):
    assert cli.main(arguments) == 1
    assert said in capsys.readouterr().err
