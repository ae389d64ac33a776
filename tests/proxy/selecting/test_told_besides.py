"""What models are shown besides the schema, through the whole server: feedback and documents."""

from __future__ import annotations

from pathlib import Path

from doubles.model_stages import said, to, wrote
from doubles.served_models import FLEET, LATE, Connection, served_models
from servers.running_proxy import OwnDatabase

from askwire.core.records import Demonstration
from askwire.llm.providers.mock_server import MockServer

HARBOUR = f"{FLEET} CREATE TABLE secrets (id int PRIMARY KEY, wage int);"
FIRST = "which hauliers of 'L' ran behind schedule?"
SECOND = "which hauliers of 'C' ran behind schedule?"
SCRIPT = (
    to("probe", said(action="done", sql="", columns=[], values=[])),
    to("generate", wrote(LATE)),
)


async def ask(connection: Connection, question: str) -> None:
    quoted = question.replace("'", "''")
    await connection.execute(f"ASK '{quoted}'".encode())


async def test_what_the_role_called_right_is_an_example_for_its_next_question(database: OwnDatabase) -> None:
    model = MockServer(SCRIPT)
    async with served_models(database, HARBOUR, model) as served:
        connection = served.connection
        await ask(connection, FIRST)
        assert not any("example" in asked.prompt for asked in model.asked)
        await connection.execute(b"ASK RIGHT")
        await ask(connection, SECOND)
        assert f'example with values "{FIRST} → {LATE}"' in model.asked[-1].prompt


async def test_of_another_role_the_ways_are_told_and_neither_values_nor_names(database: OwnDatabase) -> None:
    model = MockServer(SCRIPT)
    async with served_models(database, HARBOUR, model, operators="root") as served:
        connection, store = served.connection, served.store
        await ask(connection, FIRST)
        await connection.execute(b"ASK RIGHT")
        (mine,) = await store.find(Demonstration)
        store.remove(Demonstration, mine.key)
        place = {"server": mine.server, "database": mine.database, "role": "bob"}
        store.put(
            Demonstration("1", 1.0, question=FIRST, sql=LATE, approved_by="root", **place),
            Demonstration("2", 1.0, question="hauliers of Bob", sql=LATE, **place),
            Demonstration(
                "3",
                1.0,
                question="hauliers by wage",
                sql="SELECT wage FROM gone",
                approved_by="root",
                **place,
            ),
        )
        await ask(connection, SECOND)
        (line,) = [line for line in model.asked[-1].prompt.splitlines() if line.startswith("example ")]
        assert line == (
            "example \"which … of ' … ' ran … … ? → SELECT n1.name FROM carriers n1 JOIN voyages n2 "
            "ON n2.carrier_id = n1.id WHERE n2.status = '…'\""
        )


async def test_documents_of_the_folder_are_told(database: OwnDatabase, tmp_path: Path) -> None:
    (tmp_path / "late.md").write_text("# Schedules\nHauliers run behind schedule when voyages.status is L.")
    model = MockServer(SCRIPT)
    async with served_models(database, HARBOUR, model, knowledge=str(tmp_path), egress="schema") as served:
        connection = served.connection
        await ask(connection, SECOND)
        prompt = model.asked[-1].prompt
        assert (
            'document "late.md, Schedules: Hauliers run behind schedule when voyages.status is L."' in prompt
        )
        assert 'name "voyages.status"' in prompt
