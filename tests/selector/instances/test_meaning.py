"""Texts that answer alike today: those that mean the same stay together, others do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psycopg
import pytest
from doubles.tracing_session import Session, session
from doubles.unhurried import unhurried
from servers.databases import Database

from askwire.selector.instances.meaning import MAX_TEXTS, Meanings, Text, meanings
from askwire.sql.canonical.normal_form import normalize

SCHEMA = """
CREATE SCHEMA films; SET search_path TO films;
CREATE TABLE director (id int PRIMARY KEY, name text NOT NULL, born date);
CREATE TABLE film (
    id int PRIMARY KEY, title text NOT NULL, director int NOT NULL REFERENCES director, rating numeric,
    shown date NOT NULL CHECK (shown > '1900-01-01'), country text);
CREATE VIEW recent AS SELECT id, title, rating FROM film WHERE shown >= '2020-01-01';
INSERT INTO director VALUES (1, 'Ada', '1970-01-02'), (2, 'Bo', '1980-03-04'), (3, 'Cy', '1990-05-06');
INSERT INTO film VALUES
    (1, 'One', 1, 7.5, '2024-03-01', 'Chile'), (2, 'Two', 2, 8.5, '2024-03-05', 'Chile'),
    (3, 'Three', 3, 6.0, '2024-03-09', 'Peru');
"""

APART = [
    (
        "SELECT director FROM film GROUP BY director ORDER BY avg(rating) DESC LIMIT 1",
        "SELECT director FROM film ORDER BY rating DESC LIMIT 1",
    ),
    (
        "SELECT count(*) FROM film WHERE shown >= '2024-03-01' AND shown < '2024-04-01'",
        "SELECT count(*) FROM film",
    ),
    (
        "SELECT d.name FROM director d JOIN film f ON f.director = d.id",
        "SELECT d.name FROM director d LEFT JOIN film f ON f.director = d.id",
    ),
    ("SELECT count(*) FROM film", "SELECT count(rating) FROM film"),
    ("SELECT count(rating) FROM film", "SELECT count(DISTINCT rating) FROM film"),
    ("SELECT title FROM film WHERE rating > 6.5", "SELECT title FROM film WHERE rating >= 6.5"),
    (
        "SELECT title FROM film ORDER BY rating DESC NULLS LAST LIMIT 1",
        "SELECT title FROM film WHERE rating = (SELECT max(rating) FROM film)",
    ),
    ("SELECT title FROM film", "SELECT DISTINCT title FROM film"),
    (
        "SELECT title FROM film WHERE id = 1 UNION SELECT title FROM film WHERE id = 2",
        "SELECT title FROM film WHERE id = 1 UNION ALL SELECT title FROM film WHERE id = 2",
    ),
    (
        "SELECT title FROM film WHERE country = 'Chile' OR country = 'Peru' AND rating > 5",
        "SELECT title FROM film WHERE (country = 'Chile' OR country = 'Peru') AND rating > 5",
    ),
    ("SELECT title FROM film WHERE country = 'Chile'", "SELECT title FROM film WHERE country ILIKE 'chile'"),
    (
        "SELECT name FROM director WHERE id NOT IN (SELECT director FROM film WHERE rating > 7)",
        "SELECT d.name FROM director d JOIN film f ON f.director = d.id WHERE f.rating <= 7",
    ),
]

TOGETHER = [
    (
        "SELECT title FROM film WHERE rating > 6.5",
        "SELECT f.title AS name FROM film AS f WHERE 6.5 < f.rating",
    ),
    (
        "SELECT d.name FROM director d JOIN film f ON f.director = d.id WHERE f.rating > 7",
        "SELECT d.name FROM film f JOIN director d ON d.id = f.director WHERE f.rating > 7",
    ),
    ("SELECT count(*) FROM film", "SELECT count(1) FROM film"),
    ("SELECT count(*) FROM film", "SELECT count(title) FROM film"),
    (
        "SELECT name FROM director WHERE id IN (SELECT director FROM film WHERE rating > 7)",
        "SELECT name FROM director d"
        " WHERE EXISTS (SELECT 1 FROM film f WHERE f.director = d.id AND f.rating > 7)",
    ),
    (
        "SELECT title FROM (SELECT title, rating FROM film) AS x WHERE rating > 7",
        "WITH x AS (SELECT title, rating FROM film) SELECT title FROM x WHERE rating > 7",
    ),
    (
        "SELECT max(rating) FROM film",
        "SELECT max(rating) FROM (SELECT rating FROM film ORDER BY rating) AS x",
    ),
    (
        "SELECT name FROM director WHERE id NOT IN (SELECT director FROM film)",
        "SELECT d.name FROM director d LEFT JOIN film f ON f.director = d.id WHERE f.id IS NULL",
    ),
    (
        "SELECT title FROM film f JOIN director d ON d.id = f.director",
        "SELECT title FROM film",
    ),
    ("SELECT id FROM film", "SELECT DISTINCT id FROM film"),
    ("SELECT title FROM film WHERE shown > '1900-01-01'", "SELECT title FROM film"),
    (
        "SELECT title FROM recent WHERE rating > 7",
        "SELECT title FROM film WHERE rating > 7 AND shown >= '2020-01-01'",
    ),
]


@pytest.fixture(scope="module")
def films(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(SCHEMA)
    return database


async def compared(asker: Session, texts: Sequence[str]) -> Meanings:
    """What is made of texts that, as in a cluster, answer alike on the data."""
    async with asker.executor.batch() as batch:
        answers = [await batch.run(text, max_rows=100) for text in texts]
    assert len({normalize(answer) for answer in answers}) == 1
    given = [Text(text, answer.columns) for text, answer in zip(texts, answers, strict=True)]
    with unhurried():
        return await meanings(given, asker.catalog, asker.executor)


@pytest.mark.parametrize(("first", "second"), APART)
async def test_what_agrees_by_chance_is_told_apart(films: Database, first: str, second: str) -> None:
    async with session(films.dsn(), "SET search_path TO films") as asker:
        assert await compared(asker, [first, second]) == Meanings(((0,), (1,)))


@pytest.mark.parametrize(("first", "second"), TOGETHER)
async def test_what_says_the_same_stays_together(films: Database, first: str, second: str) -> None:
    async with session(films.dsn(), "SET search_path TO films") as asker:
        assert await compared(asker, [first, second]) == Meanings(((0, 1),))


async def test_several_texts_are_grouped_at_once(films: Database) -> None:
    texts = [
        "SELECT count(*) FROM film",
        "SELECT count(*) FROM film WHERE shown >= '2024-03-01' AND shown < '2024-04-01'",
        "SELECT count(title) FROM film",
        "SELECT count(*) FROM film WHERE shown BETWEEN '2024-03-01' AND '2024-03-31'",
    ]
    async with session(films.dsn(), "SET search_path TO films") as asker:
        assert (await compared(asker, texts)).groups == ((0, 2), (1, 3))


async def test_texts_beyond_the_number_compared_stay_with_the_first(films: Database) -> None:
    texts = ["SELECT count(*) FROM film", "SELECT count(rating) FROM film"]
    texts += [f"SELECT count(*) FROM film WHERE id > -{n}" for n in range(MAX_TEXTS)]
    async with session(films.dsn(), "SET search_path TO films") as asker:
        groups = (await compared(asker, texts)).groups
    assert groups[0][0] == 0
    assert set(range(MAX_TEXTS, len(texts))) <= set(groups[0])
    assert (1,) in groups


async def test_what_cannot_be_tried_stands_alone_with_the_reason(films: Database) -> None:
    texts = ["SELECT count(*) FROM film", "SELECT count(*) FROM film TABLESAMPLE SYSTEM (100)"]
    async with session(films.dsn(), "SET search_path TO films") as asker:
        found = await compared(asker, texts)
    assert found.groups == ((0,), (1,))
    assert found.reason


async def test_nothing_is_written_and_few_statements_are_sent(films: Database) -> None:
    async with session(films.dsn(), "SET search_path TO films") as asker:
        await compared(asker, TOGETHER[0])
        before = asker.executor.statements
        await compared(asker, APART[0])
        assert asker.executor.statements - before <= 2 + 6
    with psycopg.connect(films.dsn()) as connection:
        assert connection.execute("SELECT count(*) FROM films.film").fetchone() == (3,)
