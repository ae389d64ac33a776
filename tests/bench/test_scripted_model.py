"""The scripted model: answers in order, and only what the door made."""

from __future__ import annotations

import pytest
from doubles.model_doubles import prompt

from askwire.bench.models.scripted_model import ScriptedModel
from askwire.core.errors import ModelFailed


async def test_a_scripted_model_answers_in_order_and_then_fails() -> None:
    model = ScriptedModel(["one", ModelFailed("busy", kind="rate limit"), "two"])
    assert (await model.complete(prompt("a"))).text == "one"
    with pytest.raises(ModelFailed, match="busy"):
        await model.complete(prompt("b"))
    assert (await model.complete(prompt("c"))).text == "two"
    with pytest.raises(ModelFailed, match="no further answer"):
        await model.complete(prompt("d"))
    assert ['question "a"' in c.text for c in model.calls] == [True, False, False, False]


async def test_a_scripted_model_takes_what_the_door_made_and_nothing_else() -> None:
    class ForgedPrompt:
        text = "everything"

    with pytest.raises(TypeError):
        await ScriptedModel(["x"]).complete(ForgedPrompt())
