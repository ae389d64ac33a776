"""Prompt files: what is checked when they are loaded, and what filling them makes."""

from __future__ import annotations

import pytest

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import ConfigurationError
from askwire.llm.prompts import load_prompts, read_prompt

SOUND = """\
+++
[inputs]
schema = "data"
found = "data"
left = "number"
+++
Tables:
{{schema}}

Known:
{{found}}

You have {{left}} left.
"""
TABLE = Disclosure(Kind.NAME, "orders(id)")
VALUE = Disclosure(Kind.VALUE, "CA {{left}} {{schema}}")


def test_filling_keeps_the_order_and_what_is_data_stays_data() -> None:
    prompt = read_prompt("p", SOUND)
    words = [
        Disclosure(Kind.INSTRUCTION, w, required=True) for w in ("Tables:", "Known:", "You have 3 left.")
    ]
    filled = prompt.fill(schema=[TABLE], found=[VALUE, VALUE], left=3)
    assert filled == (words[0], TABLE, words[1], VALUE, VALUE, words[2])


def test_a_place_without_data_leaves_out_what_leads_to_it() -> None:
    filled = read_prompt("p", SOUND).fill(schema=[TABLE], found=[], left=3)
    assert [part.text for part in filled] == ["Tables:", "orders(id)", "You have 3 left."]


@pytest.mark.parametrize(
    "given",
    [
        {"schema": [TABLE], "left": 3},
        {"schema": [TABLE], "found": [], "left": 3, "more": 1},
        {"schema": [TABLE], "found": 3, "left": 3},
        {"schema": [TABLE], "found": [], "left": [TABLE]},
    ],
)
def test_an_input_that_is_missing_unknown_or_of_the_other_type_is_an_error(given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="prompt 'p'"):
        read_prompt("p", SOUND).fill(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("Tables:", "does not begin with inputs"),
        ("+++\n[inputs\n+++\n", "is not valid TOML"),
        ("+++\nmodel = 'x'\n[inputs]\n+++\n", "something else than"),
        ("+++\n[inputs]\na = 'text'\n+++\n{{a}}", "input 'a' is neither data nor number"),
        ("+++\n[inputs]\n+++\n{{a}}", "'a' is not among its inputs"),
        ("+++\n[inputs]\na = 'data'\n+++\nnothing", "'a' is used 0 times"),
        ("+++\n[inputs]\na = 'number'\n+++\n{{a}} {{a}}", "'a' is used 2 times"),
        ("+++\n[inputs]\na = 'data'\n+++\nsee {{a}}", "has no line of its own"),
        ("+++\n[inputs]\n+++\n{{A b}}", "has no name that can be read"),
    ],
)
def test_a_file_that_is_not_sound_is_told_at_the_start(content: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        read_prompt("p", content)


def test_its_version_changes_with_every_letter() -> None:
    assert read_prompt("p", SOUND).digest != read_prompt("p", SOUND.replace("Known", "known")).digest


def test_a_prompt_that_is_not_there_is_told() -> None:
    with pytest.raises(ConfigurationError, match=r"'nothing' of .* cannot be read"):
        load_prompts("askwire.planner.prompts", ["nothing"])


def test_a_place_that_is_a_paragraph_of_its_own_takes_no_other_with_it() -> None:
    file = read_prompt(
        "p", '+++\n[inputs]\na = "data"\nb = "data"\n+++\nOne.\n\n{{a}}\n\nTwo:\n{{b}}\n\nThree.'
    )
    one = Disclosure(Kind.NAME, "x")
    assert [part.text for part in file.fill(a=(), b=())] == ["One.\n\nThree."]
    assert [part.text for part in file.fill(a=(), b=(one,))] == ["One.\n\nTwo:", "x", "Three."]
    assert [part.text for part in file.fill(a=(one,), b=())] == ["One.", "x", "Three."]
