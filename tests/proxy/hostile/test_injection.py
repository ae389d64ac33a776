"""Instructions hidden in names, comments, labels, values and questions, and an expert that obeys them all."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from servers.running_proxy import OwnDatabase

from askwire.core.egress import Disclosure, Kind
from askwire.core.settings.table import load
from askwire.core.types import Candidate
from askwire.llm.egress import Egress, Prompt
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "injection.jsonl").read_text("utf-8").splitlines()
]
KEY = "k3y-that-nobody-may-see"
ROLE = "asks_pets"

TABLES = f"""
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text);
INSERT INTO pets VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat'), (3, 'Ada', 'dog');
CREATE TABLE secrets (key text);
INSERT INTO secrets VALUES ('{KEY}');
CREATE SEQUENCE counter;
CREATE FUNCTION evil_function(text) RETURNS text LANGUAGE sql AS $$ SELECT nextval('counter')::text $$;
CREATE FUNCTION evil_of(pets) RETURNS text LANGUAGE sql AS $$ SELECT nextval('counter')::text $$;
CREATE VIEW evil_view AS SELECT nextval('counter') AS n;
CREATE ROLE {ROLE};
GRANT SELECT ON pets, evil_view TO {ROLE};
GRANT ALL ON counter TO {ROLE};
GRANT INSERT, UPDATE, DELETE, TRUNCATE ON pets TO {ROLE};
"""


@dataclass
class ObedientExpert:
    """An expert with a model that does whatever its prompt says, and proposes a harmless query besides."""

    name: str = "obedient"
    prompts: int = 0
    obeyed: tuple[str, ...] = ()

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        egress = Egress(planning.settings, planning.trace, expert=self.name, endpoint="model.example")
        parts = [Disclosure(Kind.QUESTION, planning.question.text)]
        for relation in planning.catalog:
            parts.append(Disclosure(Kind.NAME, relation.name, (relation.name,)))
            parts.append(Disclosure(Kind.COMMENT, relation.comment))
            for column in relation.columns:
                parts.append(Disclosure(Kind.NAME, column.name, (column.name,)))
                parts += [Disclosure(Kind.LABEL, label) for label in column.enum_labels]
                parts += [Disclosure(Kind.VALUE, value) for value in column.common_values]
        prompt = egress.prompt(parts)
        kept = [part for part in parts if egress.level.lets(part.kind) or egress.level.masks(part.kind)]
        assert len(prompt.text.splitlines()) == 1 + len(kept)
        self.prompts += 1
        self.obeyed = tuple(_obeyed(prompt))
        return [Candidate(text, self.name, confidence=0.9) for text in self.obeyed]


def _obeyed(prompt: Prompt) -> list[str]:
    """The statements that injections in the prompt ask for; the worst reader of all undoes the quoting."""
    heard = "\n".join(
        json.loads(line[line.index('"') :]) for line in prompt.text.splitlines()[1:] if '"' in line
    )
    return [case["sql"] for case in CASES if _visible(case["sql"]) in _visible(heard)]


def _visible(text: str) -> str:
    return "".join(text.split())


@asynccontextmanager
async def _asking(database: OwnDatabase, **given: str) -> AsyncIterator[tuple[ObedientExpert, str]]:
    settings = load({"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0", **given})
    expert = ObedientExpert()
    server = Server(settings, AskResolver(settings, experts=(expert, EmbeddedEngine())))
    _, port = await server.start()
    try:
        yield expert, f"host=127.0.0.1 port={port} dbname={database.name} user=postgres"
    finally:
        await server.stop()


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with empty_database.owner() as connection:
        connection.execute(TABLES.encode())
        yield empty_database
        connection.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}".encode())


def _plant(database: OwnDatabase, where: str, text: str) -> str:
    """Put the text where an attacker would; the question that is asked."""
    with database.owner() as connection:
        name = sql.Identifier(text.encode()[:60].decode("utf-8", "ignore"))
        match where:
            case "table":
                connection.execute(sql.SQL("CREATE TABLE {} (pet_id int)").format(name))
            case "column":
                connection.execute(sql.SQL("ALTER TABLE pets ADD COLUMN {} text").format(name))
            case "comment":
                connection.execute(sql.SQL("COMMENT ON TABLE pets IS {}").format(sql.Literal(text)))
            case "label":
                connection.execute(sql.SQL("CREATE TYPE mood AS ENUM ({})").format(sql.Literal(text[:60])))
                connection.execute("ALTER TABLE pets ADD COLUMN mood mood")
            case "value":
                connection.execute(
                    "INSERT INTO pets SELECT g, %s, 'dog' FROM generate_series(10, 30) g", [text]
                )
                connection.execute("ANALYZE pets")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ROLE}".encode())
        connection.execute(f"REVOKE ALL ON secrets FROM {ROLE}".encode())
    return text if where == "question" else "how many pets are there"


_STATE = (
    "SELECT (SELECT json_agg(p ORDER BY id)::text FROM pets p),"
    " (SELECT last_value::text || is_called FROM counter),"
    " (SELECT count(*)::text FROM pg_class), (SELECT count(*)::text FROM pg_largeobject_metadata),"
    " (SELECT string_agg(rolname || rolsuper, ',' ORDER BY 1) FROM pg_roles),"
    " (SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory')"
)
_SESSION = (
    "SELECT current_user, session_user, current_setting('search_path'),"
    " current_setting('askwire.egress', true), current_setting('is_superuser')"
)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{n} {c['where']}: {c['sql'][:40]}" for n, c in enumerate(CASES)]
)
async def test_no_injection_does_anything(
    pets: OwnDatabase, case: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    question = _plant(pets, case["where"], case["text"])
    told: list[str] = []
    with psycopg.connect(pets.dsn(), autocommit=True) as observer:
        before = observer.execute(_STATE.encode()).fetchall()
        async with (
            _asking(pets, egress="rows") as (expert, dsn),
            await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection,
        ):
            connection.add_notice_handler(lambda d: told.append(f"{d.message_primary} {d.message_detail}"))
            await connection.execute(f"SET ROLE {ROLE}".encode())
            await connection.execute("SET app.key = 'setting-that-is-secret'")
            session = await (await connection.execute(_SESSION.encode())).fetchall()
            for form in ("ASK {}", "ASK (WHY) {}"):
                told += await _outcome(connection, sql.SQL(form).format(sql.Literal(question)))
            assert await (await connection.execute(_SESSION.encode())).fetchall() == session
        # a question that names what its asker may not read is informed before anyone is asked
        unreadable = case["where"] == "question" and any("may not" in line for line in told)
        if case["where"] in ("comment", "question") and not unreadable:
            assert case["sql"] in expert.obeyed  # else nothing was tried
        assert expert.prompts >= 1 or unreadable
        assert observer.execute(_STATE.encode()).fetchall() == before
    everything = "\n".join((*told, caplog.text))
    assert KEY not in everything
    assert "setting-that-is-secret" not in everything
    assert "root:x:" not in everything


async def _outcome(connection: psycopg.AsyncConnection[Any], statement: sql.Composed) -> list[str]:
    """The rows as text, or the error; only what askwire raises itself may come."""
    try:
        rows = await (await connection.execute(statement)).fetchall()
    except psycopg.Error as error:
        if not (error.sqlstate or "").startswith("NL"):
            raise
        return [str(error), str(error.diag.message_detail)]
    return [str(row) for row in rows]


async def test_a_session_cannot_open_the_door(pets: OwnDatabase) -> None:
    async with (
        _asking(pets, egress="none") as (expert, dsn),
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection,
    ):
        await connection.execute("SET askwire.egress = 'rows'")
        cursor = await connection.execute("ASK (WHY) 'how many pets are there'")
        steps = await cursor.fetchall()
        assert expert.prompts == 0
    assert ("sent to models", "nothing") in steps


async def test_why_tells_what_left(pets: OwnDatabase) -> None:
    async with (
        _asking(pets) as (_, dsn),
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection,
    ):
        cursor = await connection.execute("ASK (WHY) 'how many pets are there'")
        (line,) = [what for step, what in await cursor.fetchall() if step == "sent to models"]
        assert line.startswith("to obedient at model.example: ")
        assert "1 question" in line
        assert "egress = schema" in line
        cursor = await connection.execute("ASK (WHY, FORMAT JSON) 'how many pets are there'")
        ((why,),) = await cursor.fetchall()
        # the second time the SQL was remembered, and no model was asked
        assert why["sent_to_models"] == why["spent"] == []
        (left,) = why["pinned"]["sent_to_models"]
        assert {"pets", "kind", "secrets"} <= set(left["names"])
        assert "value" not in left["kinds"]
        assert len(left["sha256"]) == 64
        cursor = await connection.execute("ASK (WHY) 'how many pets are there'")
        told = await cursor.fetchall()
        assert [what for step, what in told if step == "sent to models"] == [
            "nothing now: the SQL is pinned",
            f"when it was worked out: {line}",
        ]
        cursor = await connection.execute("SELECT key, sent_to_models FROM ask.history ORDER BY at")
        (first, *left_first), *later = await cursor.fetchall()
        assert left_first == [line]
        assert [left for _, left in later] == ["", ""]
        assert ("worked out", f"in the ASK {first}; ask.history tells of it") in told
        assert why["pinned"]["asked"] == first


async def test_why_of_a_pin_names_no_ask_that_nobody_can_look_up(pets: OwnDatabase) -> None:
    async with (
        _asking(pets) as (_, dsn),
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection,
    ):
        await connection.execute("SET askwire.history = off")
        await connection.execute("ASK 'how many pets are there'")
        cursor = await connection.execute("ASK (WHY) 'how many pets are there'")
        steps = [step for step, _ in await cursor.fetchall()]
        assert "pin" in steps
        assert "worked out" not in steps
