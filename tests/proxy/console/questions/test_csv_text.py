"""CSV: the bytes, NULL, and cells that a spreadsheet would take for formulas."""

from __future__ import annotations

import csv
import io
import re

import pytest
from aiohttp import ClientError
from servers.asking_console import AskingConsole, Person
from servers.running_proxy import OwnDatabase

from askwire.proxy.console.questions.csv_text import header, lines


def test_the_bytes_are_those_of_rfc_4180_with_a_mark() -> None:
    got = header(["name", "n"]) + lines([('Ada, the "dog"', "1"), ("two\nlines", None)], ("text", "number"))
    assert got == b'\xef\xbb\xbfname,n\r\n"Ada, the ""dog""",1\r\n"two\nlines",\r\n'


def test_null_is_nothing_and_an_empty_text_is_quoted() -> None:
    assert lines([(None, "", " a ")], ("text", "text", "text")) == b',""," a "\r\n'


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_a_text_that_begins_a_formula_gets_an_apostrophe(first: str) -> None:
    cell = f'{first}HYPERLINK("http://x")'
    (row,) = csv.reader(io.StringIO(lines([(cell,)], ("text",)).decode(), newline=""))
    assert row == ["'" + cell]
    assert header([cell]).decode("utf-8-sig").startswith("\"'")


@pytest.mark.parametrize("between", [";", "\t", "\n", "\r\n", "|", '";"', "; ", ";'"])
@pytest.mark.parametrize("first", ["=", "+", "-", "@", "＝"])
def test_a_text_begins_no_formula_for_another_separator(between: str, first: str) -> None:
    # spreadsheets of many countries separate by semicolons, and heed no quotes in the middle of a cell
    text = lines([("1", f"a{between}{first}1+1{between}b")], ("number", "text")).decode()
    for cell in re.split(r'[;\t\r\n|,]["\' ]*', text.replace("'" + first, "_")):
        assert not cell.startswith(first), text


@pytest.mark.parametrize("plain", ["a-b; c", "x = y", "mail@example.org;other@example.org", "a;b|c"])
def test_a_text_without_a_formula_stays_what_it_is(plain: str) -> None:
    assert lines([(plain,)], ("text",)).decode() == plain + "\r\n"


def test_a_number_and_a_time_stay_what_they_are() -> None:
    row = ("-5.50", "-infinity", "-00:05:00")
    assert lines([row], ("number", "moment", "time")) == b"-5.50,-infinity,-00:05:00\r\n"


async def test_the_download_is_what_psql_would_show(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    with zoo.owner() as connection:
        connection.execute("INSERT INTO hostile VALUES ('=1+1', -3), (NULL, NULL), ('', 0), ('ü,\"', 1)")
    console.asked.expert.answers("hostile", "SELECT cell, number FROM hostile ORDER BY number")
    await person.ask("hostile")
    async with person.client.get(f"{person.door.url}ask/answers/1/rows.csv") as got:
        body = await got.read()
        assert got.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
        assert got.headers["Content-Disposition"] == 'attachment; filename="answer-1.csv"'
        assert got.headers["Cache-Control"] == "no-store"
        assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert body.decode("utf-8-sig") == 'cell,number\r\n\'=1+1,-3\r\n"",0\r\n"ü,""",1\r\n,\r\n'


async def test_another_answer_is_not_downloaded_in_its_place(console: AskingConsole, person: Person) -> None:
    await person.ask("dogs")
    console.asked.expert.answers("dogs", "SELECT 'Bello' AS name FROM pets WHERE id = 1")
    await person.say("1", said="wrong", sql="SELECT 'Bello' AS name FROM pets WHERE id = 1")
    assert "Bello" in (await person.get("ask/answers/1/rows.csv"))[1]
    session = next(iter(console.sign_ins._kept.values())).session
    session.answers[0].sql = "SELECT 'something else'"
    status, text = await person.get("ask/answers/1/rows.csv")
    assert status == 409
    assert "has changed" in text
    assert "Tom" in await person.ask("cats"), "the session goes on"


async def test_there_is_nothing_to_download_of_a_refusal(person: Person) -> None:
    await person.ask("nothing of the kind")
    assert (await person.get("ask/answers/1/rows.csv"))[0] == 409


async def test_an_error_in_the_middle_cuts_the_transfer_off(console: AskingConsole, person: Person) -> None:
    sql = "SELECT 1 / (3000 - n) AS q FROM generate_series(1, 4000) AS n, pets WHERE pets.id = 1"
    console.asked.expert.answers("fails late", sql)
    console.asked.expert.answers("cats", "SELECT name FROM pets WHERE kind = 'cat'")
    assert "rows.csv" in await person.ask("fails late"), "a page shows the first rows"
    with pytest.raises(ClientError):
        await person.get("ask/answers/1/rows.csv")
    assert "Tom" in await person.ask("cats"), "the session goes on"


async def test_a_client_that_leaves_a_download_leaves_the_session(
    console: AskingConsole, person: Person
) -> None:
    sql = "SELECT repeat('x', 1000) AS t, n FROM generate_series(1, 30000) AS n, pets WHERE pets.id = 1"
    console.asked.expert.answers("large", sql)
    text = await person.ask("large")
    assert "rows.csv" in text
    got = await person.client.get(f"{person.door.url}ask/answers/1/rows.csv")
    await got.content.readany()
    got.close()
    assert "Tom" in await person.ask("cats")
