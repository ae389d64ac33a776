"""A model that says that the database cannot answer is heard, and does not refuse for those that can."""

from __future__ import annotations

import json

import psycopg
import pytest
from doubles.asked import listen, rows
from doubles.served_models import FLEET, LATE, served_models
from servers.running_proxy import OwnDatabase

from askwire.llm.providers.mock_server import Answer, MockServer

WEATHER = "No relation holds anything about the weather."
DECLINES = json.dumps({"reading": "", "sql": "", "cannot": WEATHER})
ANSWERS = json.dumps({"reading": "late ones", "sql": LATE, "cannot": ""})


@pytest.mark.parametrize(
    "said",
    [
        DECLINES,
        json.dumps({"sql": "", "reason": WEATHER}),
        f"Sorry. {WEATHER}",
        f'{{"sql": ""}}\nOr rather: {DECLINES}',
    ],
)
async def test_its_reason_reaches_the_asker(empty_database: OwnDatabase, said: str) -> None:
    async with served_models(empty_database, FLEET, MockServer((Answer(text=said),))) as served:
        with pytest.raises(psycopg.Error) as failed:
            await rows(served.connection, "ASK 'will it rain tomorrow?'")
    assert failed.value.sqlstate == "NL002"
    assert (
        failed.value.diag.message_primary == "askwire: the database does not hold what the question asks for"
    )
    assert WEATHER in str(failed.value.diag.message_detail)
    assert str(failed.value.diag.message_detail).startswith('The model "model0" says: ')


async def test_another_expert_answers_and_the_reason_is_told_beside_it(empty_database: OwnDatabase) -> None:
    models = MockServer((Answer(text=DECLINES),)), MockServer((Answer(text=ANSWERS),))
    async with served_models(empty_database, FLEET, *models) as served:
        heard = listen(served.connection)
        assert await rows(served.connection, "ASK 'who was late?'") == [("North",)]
        why = await rows(served.connection, "ASK (WHY) 'who was late?'")
    assert WEATHER in str(heard)
    assert "assumed: The model" not in str(heard)
    assert [told[1] for told in why if told[0] == "remark"] == [
        f'The model "model0" says that the database cannot answer this: {WEATHER}'
    ]


async def test_where_nobody_else_is_sure_the_refusal_tells_it(empty_database: OwnDatabase) -> None:
    model = MockServer((Answer(text=DECLINES),))
    async with served_models(empty_database, FLEET, model, experts="model0, embedded") as served:
        with pytest.raises(psycopg.Error) as failed:
            await rows(served.connection, "ASK 'which carriers had rain on their voyages in fog?'")
    assert failed.value.sqlstate in ("NL002", "NL003")
    assert WEATHER in str(failed.value.diag.message_detail)


@pytest.mark.parametrize(("times", "comes_to"), [(1, "rows"), (0, "NL004")])
async def test_an_answer_that_was_cut_off_is_asked_for_once_more(
    empty_database: OwnDatabase, times: int, comes_to: str
) -> None:
    cut = Answer(text=ANSWERS[:-30], finish="length", times=times)
    model = MockServer((cut, Answer(text=ANSWERS)))
    async with served_models(empty_database, FLEET, model, effort="fast") as served:
        try:
            assert await rows(served.connection, "ASK 'who was late?'") == [("North",)]
            found = "rows"
        except psycopg.Error as error:
            found = str(error.sqlstate)
    assert (found, len(model.asked)) == (comes_to, 2)
