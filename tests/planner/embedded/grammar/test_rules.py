"""Every rule does what its examples say, and every rule has one."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from doubles.case_tables import every
from doubles.scripted_oracle import context_of
from doubles.time_bounds import ProcessorTime

from askwire.planner.embedded.grammar.notation import written
from askwire.planner.embedded.grammar.order import DisorderedRules, in_order, ordered
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite
from askwire.planner.embedded.grammar.rules import FAMILIES, RULES
from askwire.planner.embedded.grammar.shown import clauses

BY_NAME = {rule.name: rule for rule in RULES}


@every("rule", BY_NAME)
def test_a_rule_does_what_its_examples_say(rule):
    fires = False
    for example in rule.examples:
        context = context_of(example)
        known = clauses(context)
        rule.apply(context)
        assert context.symbols == example.result, example.line
        found = tuple(clause for clause in clauses(context) if clause not in known)
        assert found == example.clauses, example.line
        assert set(example.schema) <= set(context.oracle.asked), f"{example.line}: not asked for"
        fires |= bool(found) or example.result != re.sub(r"\[[^\]]*\]", "", example.line)
    assert fires, "no example in which it does something"


GUARDED = {name: rule for name, rule in BY_NAME.items() if rule.guard is not None}


@every("rule", GUARDED)
def test_a_guard_refuses_one_example_and_lets_another_pass(rule):
    said = []

    def guard(context, found):
        said.append(rule.guard(context, found))
        return said[-1]

    for example in rule.examples:
        replace(rule, guard=guard).apply(context_of(example))
    assert set(said) == {True, False}


TYPED = {
    name: rule
    for name, rule in BY_NAME.items()
    if any(wanted for _, kind in written(rule.pattern).kinds for wanted, _ in kind.alternatives)
    and re.search(r"M\d+\[[a-z]", rule.examples[0].line)
}


@every("rule", TYPED)
def test_a_line_whose_symbols_are_of_no_kind_is_left_alone(rule):
    line = re.sub(r"(M\d+)\[[^\]]*\]", r"\1[thing]", rule.examples[0].line)
    context = context_of(replace(rule.examples[0], line=line))
    known = clauses(context)
    rule.apply(context)
    assert context.symbols == re.sub(r"\[[^\]]*\]", "", line)
    assert clauses(context) == known


WORDS = (
    "the",
    "be",
    "in the",
    "be the",
    "to",
    "M0",
    "N0",
    "V0 M0",
    "C0 and",
    "MOST",
    "GT N0",
    "each M0",
    "and M0 of",
)
MAX_SECONDS = 0.2
"""A pattern of cubic cost takes at least twice that over these lines, others a sixth."""


@every("rule", BY_NAME)
def test_a_long_question_costs_a_pattern_little(rule):
    compiled = written(rule.pattern).compiled
    for word in WORDS:
        taken = ProcessorTime()
        compiled.sub("", " ".join([word] * 400))
        assert taken.within(MAX_SECONDS), word


@every("rule", BY_NAME)
def test_a_word_of_a_pattern_may_be_repeated(rule):
    """What can be read in two ways each time is read in 2 ** 18."""
    compiled = written(rule.pattern).compiled
    for word in sorted({*re.findall(r"[a-z]{2,}", rule.pattern)}):
        taken = ProcessorTime()
        compiled.sub("", " ".join([word] * 18))
        assert taken.within(MAX_SECONDS / 4), word


def test_the_order_keeps_what_each_rule_waits_for():
    place = {rule.name: number for number, rule in enumerate(RULES)}
    for rule in RULES:
        for name in rule.after:
            family = [p for other, p in place.items() if other == name or other.startswith(f"{name}/")]
            assert max(family) < place[rule.name]


def test_the_order_is_the_same_whatever_the_families_stand_in():
    turned = ordered(rule for family in reversed(FAMILIES) for rule in family)
    assert [rule.name for rule in turned] == [rule.name for rule in RULES]


ONE, TWO, THREE = (Rule(name, "x", rewrite("y")) for name in ("a/one", "a/two", "b/three"))


def test_a_new_rule_runs_between_what_it_names():
    known = in_order(ONE, TWO)
    new = replace(THREE, after=("a/one",), before=("a/two",))
    assert [rule.name for rule in ordered((*known, new))] == ["a/one", "b/three", "a/two"]


def test_a_family_stands_for_all_its_rules():
    new = replace(THREE, after=("a",))
    assert [rule.name for rule in ordered((new, *in_order(ONE, TWO)))] == ["a/one", "a/two", "b/three"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ((ONE, ONE), "two rules are called a/one"),
        ((replace(ONE, after=("nobody",)),), "a/one names nobody"),
        ((replace(ONE, before=("a/two",)), replace(TWO, before=("a/one",))), "wait for each other"),
    ],
)
def test_rules_that_have_no_order_are_an_error(rules, said):
    with pytest.raises(DisorderedRules, match=said):
        ordered(rules)


def test_a_rule_that_is_not_of_the_kind_leaves_the_line_alone():
    rule = Rule("a/rule", r"old {m:table!}", rewrite("{m}"))
    for kind, result in (("table!", "M0"), ("column!", "old M0")):
        context = context_of(Example(f"old M0[{kind}]", result))
        rule.apply(context)
        assert context.symbols == result


@pytest.mark.parametrize("pattern", ["{m:tabel}", "{NONE} {m}"])
def test_a_pattern_of_unknown_kinds_or_fragments_is_an_error(pattern):
    with pytest.raises(ValueError, match=r"no mention is of the kind|there is no fragment"):
        written(pattern)
