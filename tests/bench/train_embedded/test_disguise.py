"""Schemas under shorter names: the same rows, words cut the same way all over a schema, no name twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import psycopg
import pytest

from askwire.bench.train_embedded.disguise import chosen, copy, cut, disguised

if TYPE_CHECKING:
    from servers.databases import Database

COPIED = next(name for name in (f"school{n}" for n in range(99)) if chosen(name))
NAMES = (
    "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = %s"
    " ORDER BY table_name, ordinal_position"
)


@pytest.mark.parametrize("schema", ["a", "b", "c", "d", "e"])
def test_a_word_keeps_its_first_letter_and_is_never_longer(schema: str) -> None:
    for word in ("department", "salary", "age", "id", "strengths"):
        short = cut(schema, word)
        assert short[0] == word[0]
        assert len(short) <= len(word)
        assert short == cut(schema, word)
    assert cut(schema, "age") == "age"


def test_names_of_several_words_are_cut_word_by_word() -> None:
    parts = [cut("a", word) for word in ("first", "name")]
    assert disguised("a", "FirstName").lower() == "_".join(parts)
    assert disguised("a", "first_name").lower() == "_".join(parts)


def test_a_copy_holds_the_same_rows_under_other_names(make_database: Callable[[], Database]) -> None:
    source, target = make_database(), make_database()
    with (
        psycopg.connect(source.dsn(), autocommit=True) as here,
        psycopg.connect(target.dsn(), autocommit=True) as there,
    ):
        here.execute(f"CREATE SCHEMA {COPIED}")
        here.execute(
            f"CREATE TABLE {COPIED}.departments"
            " (department_id int PRIMARY KEY, headquarters text, headquarter text)"
        )
        here.execute(f"INSERT INTO {COPIED}.departments VALUES (1, 'Oslo', 'a\tb'), (2, NULL, '')")
        assert copy(here, there, COPIED)
        assert copy(here, there, COPIED)  # again, instead of the first
        names = [name for (name,) in there.execute(NAMES, [COPIED])]
        assert len(set(names)) == 3
        table = names[0].partition(".")[0]
        rows = there.execute(f'SELECT * FROM {COPIED}."{table}" ORDER BY 1').fetchall()
        assert rows == [(1, "Oslo", "a\tb"), (2, None, "")]
