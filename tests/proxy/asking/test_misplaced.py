"""An ASK in code that is kept for later: a clear refusal, and never one of what is right."""

from __future__ import annotations

import pytest
from servers.running_proxy import Proxy

HINT = "Write the SQL that ASK (SQL) 'question' returns."
REFUSED = [
    ("CREATE FUNCTION f() RETURNS int RETURN (ASK 'q')", "ASK 'q'", "the body of a function"),
    ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC ASK 'q'; END", "ASK 'q'", "the body of a function"),
    ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ ASK 'q' $$", "ASK 'q'", "the body of a function"),
    (
        "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (ASK 'q'); END $$",
        "ASK 'q'",
        "the body of a function",
    ),
    ("DO $$ BEGIN PERFORM * FROM ask('q'); END $$", "ask('q')", "the code of DO"),
    ("SELECT 1; DO $$ BEGIN PERFORM (ASK 'q'); END $$", "ASK 'q'", "the code of DO"),
    ("CREATE RULE r AS ON DELETE TO t DO INSTEAD SELECT (ASK 'q')", "ASK 'q'", "a rule"),
]
BARE = [
    ("SELECT ASK 'q'", "ASK", "an ASK in an expression must be in parentheses", "(ASK 'question')"),
    ("SELECT a, ask('q') FROM t", "ask", "ask() can only be used in FROM", "FROM ask('question')"),
    ("SELECT 1 WHERE 'ask' = ASK ($$q$$)", "ASK", "ask() can only be used in FROM", "(ASK '"),
    ("SELECT * FROM ROWS FROM (ask('q')) x", "ask", "ask() can only be used in FROM", "FROM ask("),
]
KEPT = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (ASK 'q'); END $$"


@pytest.mark.parametrize(("text", "at", "where"), REFUSED)
async def test_refused_at_its_place(proxy: Proxy, text: str, at: str, where: str) -> None:
    async with proxy.client() as client:
        for answer in (await client.query(text), await client.extended(text)):
            (fields,) = answer.errors
            assert (fields["C"], fields["M"]) == ("42601", f"an ASK is not possible in {where}")
            assert (fields["H"], int(fields["P"])) == (HINT, text.index(at) + 1)
            assert answer.status == "I"
    assert proxy.resolver.asked == []


async def test_a_type_or_function_of_that_name_keeps_its_meaning(proxy: Proxy) -> None:
    async with proxy.client() as client:
        own = "CREATE FUNCTION ask(text) RETURNS int LANGUAGE sql AS $$ SELECT count(*)::int FROM ask('q') $$"
        assert (await client.query(own)).tags == ["CREATE FUNCTION"]
        assert (
            await client.query("DO $$ BEGIN IF false THEN PERFORM * FROM ask('q'); END IF; END $$")
        ).tags == ["DO"]
        assert (await client.query(KEPT)).codes == ["42601"]
        await client.query("CREATE DOMAIN ask AS int")
        assert (await client.query(KEPT)).tags == ["CREATE FUNCTION"]


async def test_whoever_restores_unchecked_bodies_is_left_alone(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("SET check_function_bodies = off")
        assert (await client.query(KEPT)).tags == ["CREATE FUNCTION"]


async def test_strings_comments_and_names_are_none(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("CREATE TABLE t (ask text)")
        for text in (
            "DO $$ DECLARE ask text := 'q'; BEGIN PERFORM 'ASK ''q''', ask; PERFORM t.ask FROM t; END $$",
            "DO $$ BEGIN NULL; /* ASK 'q' */ END -- ASK 'q'\n $$",
            "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT ask FROM t WHERE ask = 'ASK' $$",
        ):
            assert not (await client.query(text)).codes


async def test_in_a_failed_block(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("BEGIN")
        await client.query("SELECT nothing")
        assert (await client.query(KEPT)).codes == ["25P02"]


@pytest.mark.parametrize(("text", "at", "message", "hint"), BARE)
async def test_a_bare_ask_in_an_expression_is_told_how_to_be_written(
    proxy: Proxy, text: str, at: str, message: str, hint: str
) -> None:
    async with proxy.client() as client:
        for answer in (await client.query(text), await client.extended(text)):
            (fields,) = answer.errors
            assert (fields["C"], text[int(fields["P"]) - 1 :][:3]) == ("42601", at)
            assert fields["M"].startswith(message)
            assert hint in fields["H"]


async def test_what_is_the_database_s_own_is_left_alone_in_expressions(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("PREPARE ask(text) AS SELECT $1")
        assert (await client.query("EXECUTE ask('q')")).rows == [("q",)]
        assert (await client.query("SELECT 'ask' AS ask WHERE 'ask' IN ('ASK', 'ask')")).rows == [("ask",)]
        await client.query("CREATE DOMAIN ask AS text")
        await client.query("CREATE FUNCTION ask(text) RETURNS text LANGUAGE sql AS 'SELECT $1'")
        assert (await client.query("SELECT ask 'q', ask('r')")).rows == [("q", "r")]
