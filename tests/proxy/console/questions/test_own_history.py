"""The own history in the console, in databases whose owner wants to see more, or to have code run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from servers.asking_console import AskingConsole, Person, seen
from servers.running_proxy import OwnDatabase

from askwire.core.records import Feedback

SPRUNG = """
CREATE TABLE public.sprung (who text);
GRANT ALL ON public.sprung TO public;
CREATE FUNCTION public.spring() RETURNS text LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO public.sprung VALUES (current_user); RETURN 'forged'; END $$;
"""
HISTORY = """
CREATE SCHEMA ask;
GRANT USAGE ON SCHEMA ask TO public;
CREATE VIEW ask.history AS
  SELECT '{key}'::text AS key, now() AS at, 'by_scram'::text AS role, 'd'::text AS database,
         {question} AS question, 'answered'::text AS outcome, 1.0::float8 AS elapsed_ms, false AS pinned;
GRANT SELECT ON ask.history TO public;
"""
EQUALS = """
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO public;
CREATE FUNCTION evil.eq(text, text) RETURNS bool LANGUAGE plpgsql AS $$
  BEGIN PERFORM public.spring(); RETURN true; END $$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.eq);
CREATE DOMAIN evil.float8 AS double precision CHECK (public.spring() = 'forged');
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (public.spring() = 'forged');
"""


@contextmanager
def planted(zoo: OwnDatabase, *statements: str, path: str = "") -> Iterator[None]:
    """Objects of the database's owner, while the block runs; `path`: what sessions begin with."""
    with zoo.owner() as owner:
        for statement in (SPRUNG, *statements):
            owner.execute(statement.encode())
        if path:
            owner.execute(f"ALTER DATABASE {zoo.name} SET search_path = {path}".encode())
        try:
            yield
            assert owner.execute("SELECT who FROM public.sprung").fetchall() == []
        finally:
            owner.execute(f"ALTER DATABASE {zoo.name} RESET search_path".encode())


async def test_a_history_of_the_database_owner_is_not_read(person: Person, zoo: OwnDatabase) -> None:
    await person.ask("dogs")
    with planted(zoo, HISTORY.format(key="0" * 16, question="public.spring()")):
        status, text = await person.get("ask/history")
        assert status == 200
        assert "dogs" in seen(text)
        assert "forged" not in text


async def test_a_forged_history_opens_no_ask_of_another_role(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    console.asked.expert.answers("named dog", "SELECT name FROM pets WHERE kind = 'dog'")
    async with console.person() as other:
        assert await other.sign_in(zoo) == 303
        text = await other.ask("named dog")
        key = text.partition('href="/ask/history/')[2].partition('"')[0]
        assert (await other.get(f"ask/history/{key}"))[0] == 200
        with planted(zoo, HISTORY.format(key=key, question="'x'::text")):
            status, text = await person.get(f"ask/history/{key}")
            assert status == 404
            assert "named dog" not in text
            assert (await person.send(f"ask/history/{key}/say", said="wrong", number="1")).status == 404
            # whose it is sees and judges it as before
            assert (await other.get(f"ask/history/{key}"))[0] == 200
            assert (await other.send(f"ask/history/{key}/say", said="right", number="1")).status == 303
    (feedback,) = await console.asked.store.find(Feedback)
    assert feedback.role == "postgres"


@pytest.mark.parametrize("path", ["evil, pg_catalog, public", "evil, public"])
async def test_operators_and_types_on_the_path_are_not_looked_up(
    console: AskingConsole, zoo: OwnDatabase, path: str
) -> None:
    with planted(zoo, EQUALS, path=path):
        async with console.person() as superuser:
            assert await superuser.sign_in(zoo) == 303
            text = await superuser.ask("dogs")
            key = text.partition('href="/ask/history/')[2].partition('"')[0]
            assert "dogs" in seen((await superuser.get("ask/history"))[1])
            assert (await superuser.get(f"ask/history/{key}"))[0] == 200
            await superuser.say("1", said="right")
            assert (await superuser.get("ask/answers/1/rows.csv"))[0] == 200


async def test_pages_of_the_history_hold_each_ask_once(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    for number in range(43):
        console.asked.expert.answers(f"question {number}", "SELECT 1 AS one FROM pets WHERE id = 1")
        await person.ask(f"question {number}")
    async with console.person() as other:
        assert await other.sign_in(zoo) == 303
        await other.ask("dogs")
    first, second = [seen((await person.get(f"ask/history?page={n}"))[1]) for n in (0, 1)]
    on_first = [n for n in range(43) if f"question {n} by_scram" in first]
    on_second = [n for n in range(43) if f"question {n} by_scram" in second]
    assert sorted(on_first + on_second) == list(range(43))
    assert len(on_first) == 40
    assert "dogs" not in first + second
