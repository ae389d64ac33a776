"""Questions that deny something, through the wire: of rows whose key is empty, and of what no one knows."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

TABLES = """
CREATE TABLE makers (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE lamps (
  id int PRIMARY KEY, name text NOT NULL, maker_id int REFERENCES makers, colour text, room text);
INSERT INTO makers VALUES (1, 'Fjord'), (2, 'Lisboa'), (3, 'Quarry');
INSERT INTO lamps VALUES (1, 'Ada', 1, 'red', 'attic'), (2, 'Bea', 2, 'blue', 'attic'),
  (3, 'Cyd', NULL, NULL, 'hall'), (4, 'Dot', 2, 'red', 'hall'), (5, 'Eve', NULL, NULL, 'hall');
CREATE TABLE singers (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE songs (
  id int PRIMARY KEY, title text NOT NULL, backing_singer_id int REFERENCES singers,
  singer_id int REFERENCES singers);
INSERT INTO singers VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cem');
INSERT INTO songs VALUES (1, 'One', 2, 1), (2, 'Two', NULL, 1), (3, 'Three', 3, NULL);
ANALYZE makers, lamps, singers, songs;
"""


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as connection:
        connection.execute(TABLES)
        async with asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running:
            running.experts = (EmbeddedEngine(),)
            yield running
        connection.execute("DROP TABLE lamps, makers, songs, singers")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("lamps not from the maker Fjord", ["Bea", "Cyd", "Dot", "Eve"]),
        ("lamps that are not from Lisboa", ["Ada", "Cyd", "Eve"]),
        ("lamps without a maker", ["Cyd", "Eve"]),
        ("lamps that are not red", ["Bea"]),
        ("makers without lamps", ["Quarry"]),
        ("singers without songs", ["Bob", "Cem"]),
    ],
)
async def test_rows_whose_key_is_empty_are_not_left_out(
    asked: AskedServer, question: str, names: list[str]
) -> None:
    async with asked.connection() as connection:
        found = await rows(connection, f"ASK '{question}'")
    assert sorted(row[0] for row in found) == names


async def test_rows_that_nobody_knows_it_of_are_told(asked: AskedServer) -> None:
    told: list[str] = []
    async with asked.connection() as connection:
        connection.add_notice_handler(lambda d: told.append(f"{d.message_primary}\n{d.message_detail}"))
        assert await rows(connection, "ASK 'how many lamps are not red?'") == [(1,)]
        assert "Left out: about 2 of 5 rows of lamps have no colour" in told[-1]
        why = dict(await rows(connection, "ASK (WHY) 'how many lamps are not red?'"))
        assert why["left out"] == "about 2 of 5 rows of lamps have no colour, and are left out"
        told.clear()
        assert await rows(connection, "ASK 'how many lamps are not in the attic?'") == [(3,)]
        assert "Left out" not in told[-1]


async def test_either_of_two_tables_keeps_rows_without_a_key(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        found = await rows(connection, "ASK 'how many lamps are in the hall or from Lisboa?'")
    assert found == [(4,)]
