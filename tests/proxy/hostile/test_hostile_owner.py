"""A superuser asks in a database whose owner attached code to everything: none of it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from data.hostile_owner import OWNER, SPRUNG, Trap, plant, state
from data.reading_catalog import read_catalog
from doubles.asked import asked_server
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.core.errors import RefusedByGate
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.safety import Policy, check


@dataclass(frozen=True)
class Hostile:
    """The database with its traps, by number."""

    database: OwnDatabase
    traps: dict[int, Trap]
    refused: dict[str, str]

    def names(self, numbers: Iterator[tuple[int]]) -> set[str]:
        """The names of traps."""
        return {self.traps[number].name if number in self.traps else str(number) for (number,) in numbers}


@pytest.fixture(scope="module")
def hostile(make_database: Callable[[], OwnDatabase]) -> Iterator[Hostile]:
    """A database of the hostile owner's, with every trap that PostgreSQL lets it make."""
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {OWNER} LOGIN".encode())
        connection.execute(f"ALTER DATABASE {database.name} OWNER TO {OWNER}".encode())
    try:
        made, refused = plant(f"host=127.0.0.1 port={database.port} dbname={database.name} user={OWNER}")
        yield Hostile(database, {trap.number: trap for trap in made}, refused)
    finally:
        with psycopg.connect(database.dsn(), autocommit=True) as connection:
            connection.execute(f"REASSIGN OWNED BY {OWNER} TO postgres; DROP OWNED BY {OWNER}".encode())
            connection.execute(f"DROP ROLE {OWNER}".encode())


def test_every_trap_could_be_made(hostile: Hostile) -> None:
    assert hostile.refused == {}
    assert len(hostile.traps) > 150


async def test_no_statement_that_passes_runs_code_of_the_owners(hostile: Hostile) -> None:
    catalog = await read_catalog(hostile.database.dsn())
    passed = 0
    sprung: dict[str, set[str]] = {}
    with psycopg.connect(hostile.database.dsn(), autocommit=True) as connection:
        before = state(connection)
        seen: set[str] = set()
        for trap in hostile.traps.values():
            for sql in trap.statements:
                with suppress(RefusedByGate):
                    text = check(sql, catalog, Policy()).sql
                    passed += 1
                    with suppress(psycopg.Error):
                        connection.execute(text.encode())
                        connection.execute(f"EXPLAIN {text}".encode())
            now = hostile.names(iter(connection.execute(SPRUNG)))
            if now - seen:
                sprung[trap.name] = now - seen
            seen |= now
        assert not sprung, sorted(sprung)
        assert state(connection) == before
    # the gate is not simply shut: what carries no code of the owner's at reading can be read
    assert passed > 1000


async def test_no_ask_of_a_superuser_runs_code_of_the_owners(hostile: Hostile) -> None:
    with psycopg.connect(hostile.database.dsn(), autocommit=True) as observer:
        before = state(observer)
        ended: Counter[str] = Counter()
        async with (
            asked_server(hostile.database, answer_confidence="0") as server,
            server.connection() as connection,
        ):
            server.experts = (EmbeddedEngine(), server.expert)
            for trap in hostile.traps.values():
                if not trap.name.endswith(("plpgsql, listed", "plpgsql, none")):
                    continue  # the gate's verdicts are judged above; here it is what askwire itself runs
                question = f"how many {trap.relation} have x containing lo"
                server.expert.answers(question, *trap.statements[trap.number % 7 :: 7])
                try:
                    await connection.execute(f"ASK '{question}'".encode())
                    ended["answered"] += 1
                except psycopg.Error as error:
                    ended[error.sqlstate or ""] += 1
            assert hostile.names(iter(observer.execute(SPRUNG))) == set()
            assert state(observer) == before
        # every ASK was worked on to its end, with whatever its gate left
        assert ended.keys() <= {"answered", "NL001", "NL002", "NL006"}, ended
        assert ended["answered"] > 80, ended


RIVALS = ("SELECT id FROM {t}", "SELECT id FROM {t} WHERE id > 1", "SELECT count(*) FROM {t}")
"""Readings that name no column with code behind it."""


async def test_rows_that_tell_readings_apart_run_no_code_of_the_owners(hostile: Hostile) -> None:
    """The gate sees the columns that readings name; rows are taken, and made of text, as a whole."""
    with psycopg.connect(hostile.database.dsn(), autocommit=True) as observer:
        before = state(observer)
        ended: Counter[str] = Counter()
        async with asked_server(hostile.database) as server, server.connection() as connection:
            for trap in hostile.traps.values():
                if not trap.name.endswith(("plpgsql, listed", "plpgsql, none")):
                    continue
                readings = (sql.format(t=trap.relation) for sql in RIVALS)
                server.experts = tuple(Says(f"expert {n}", sql) for n, sql in enumerate(readings))
                for option in ("CHOICES", "WHY"):
                    try:
                        await connection.execute(f"ASK ({option}) 'rivals of {trap.relation}'".encode())
                        ended["answered"] += 1
                    except psycopg.Error as error:
                        ended[error.sqlstate or ""] += 1
            assert hostile.names(iter(observer.execute(SPRUNG))) == set()
            assert state(observer) == before
        assert ended["answered"] > 20, ended


@pytest.mark.parametrize("moment", ["while an expert thinks", "between the trial and the answer"])
async def test_objects_made_during_an_ask_are_seen(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """A model may think for a minute, in which the owner adds a cast to a type that passed."""
    monkeypatch.setattr("askwire.proxy.resolver.session_reader._STALE_SECONDS", 0)
    owner = f"host=127.0.0.1 port={hostile.database.port} dbname={hostile.database.name} user={OWNER}"
    number = 9001 if "expert" in moment else 9002
    with psycopg.connect(owner, autocommit=True) as made:
        made.execute(
            f"CREATE TYPE k{number} AS ENUM ('low'); CREATE TABLE t{number} (id int, x k{number});"
            f"INSERT INTO t{number} VALUES (1, 'low'); GRANT SELECT ON t{number} TO public;"
            f"CREATE FUNCTION hostile{number}(k{number}) RETURNS json LANGUAGE plpgsql IMMUTABLE AS "
            f"$$ BEGIN PERFORM sprung.by({number}); RETURN '1'::json; END $$".encode()
        )

    def attach() -> None:
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(
                f"CREATE CAST (k{number} AS json) WITH FUNCTION hostile{number}(k{number})".encode()
            )

    async def thinks(_planning: object) -> list[str]:
        if "expert" in moment:
            attach()
        return [f"SELECT row_to_json(t) AS j FROM t{number} t"]

    with psycopg.connect(hostile.database.dsn(), autocommit=True) as observer:
        before = state(observer)
        async with asked_server(hostile.database) as server, server.connection() as connection:
            server.expert.on("rows of it", thinks)
            if "trial" in moment:
                select = server.resolver.pipeline.select

                async def selects(*given: Any, **named: Any) -> Any:
                    choice = await select(*given, **named)
                    attach()
                    return choice

                monkeypatch.setattr(server.resolver.pipeline, "select", selects)
            with pytest.raises(psycopg.Error, match=f"hostile{number}"):
                await connection.execute(b"ASK 'rows of it'")
        assert hostile.names(iter(observer.execute(SPRUNG))) == set()
        assert state(observer) == before


def test_the_traps_work(hostile: Hostile) -> None:
    """Run as they are, every way but those that no reading reaches is sprung."""
    with psycopg.connect(hostile.database.dsn(), autocommit=True) as connection:
        connection.execute(b"BEGIN READ ONLY")
        for trap in hostile.traps.values():
            if not trap.name.endswith("none"):
                continue
            for sql in trap.statements:
                with suppress(psycopg.Error), connection.transaction():
                    connection.execute(sql.encode())
        sprung = hostile.names(iter(connection.execute(SPRUNG)))
        connection.execute(b"ROLLBACK")
    ways = {trap.name.split(",")[0] for trap in hostile.traps.values()}
    assert ways - {name.split(",")[0] for name in sprung} <= {
        *("default", "rule on writing", "policy", "policy behind a view", "cast of what a policy holds")
    }
