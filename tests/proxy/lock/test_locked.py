"""The lock's file: what is written is read again, and what is no lock is said to be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askwire.core.errors import ConfigurationError
from askwire.proxy.lock.locked import AGREES, DIFFERS, Lock, LockedAnswer, Rival, Setting, read, write
from askwire.proxy.lock.parameters import Parameter
from askwire.proxy.lock.questions import LockQuestion
from askwire.sql.ask import AskOptions

if TYPE_CHECKING:
    from pathlib import Path

SETTING = Setting("shop", "me", ("public", 'odd "one"'), 180000, "0123456789abcdef", ("embedded",))
FULL = Lock(
    SETTING,
    (
        LockedAnswer(
            LockQuestion("how many 'big' orders?", AskOptions(evidence='big: over "1000"\n', candidates=2)),
            'SELECT count(*)\nFROM orders\nWHERE note = E\'\\\\"""\'',
            "number of orders",
            0.75,
            "2026-01-31",
            rivals=(
                Rival("SELECT 1", "one", DIFFERS, ("orders  id 1", "orders  id 2")),
                Rival("SELECT 2", "two", AGREES, ("made up",), made_up=True),
            ),
            parameters=(
                Parameter("1000", "numeric", "the question"),
                Parameter("O'Hara \n", "text", "the data"),
            ),
        ),
        LockedAnswer(LockQuestion("why?"), sqlstate="NL003", message="no reading"),
    ),
)


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(FULL, tmp_path / "lock")
    assert read(tmp_path / "lock") == FULL


@given(text=st.text(alphabet=st.characters(codec="utf-8"), min_size=1))
@example(text="\r\n")
@example(text="a\rb\n")
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "lock"
    lock = Lock(
        SETTING,
        (
            LockedAnswer(
                LockQuestion(text), sqlstate="NL001", message=text, rivals=(Rival("x", text, AGREES),)
            ),
        ),
    )
    write(lock, path)
    assert read(path) == lock


OLD = """version = 1
[asked]
database = "shop"
[[question]]
question = "which products are out of stock?"
sql = "SELECT name FROM products WHERE stock = 0"
[[question.rival]]
reading = "numbers"
sql = "SELECT id FROM products WHERE stock = 0"
answer = "differs"
rows = ["products  id 13", "and 2 more"]
"""


def test_a_lock_of_version_1_is_read(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(OLD, "utf-8")
    (one,) = read(tmp_path / "lock").questions
    assert one.parameters == ()
    assert one.rivals[0].rows == ("products  id 13", "and 2 more")


def test_rows_stand_on_lines_of_their_own_for_review(tmp_path: Path) -> None:
    write(FULL, tmp_path / "lock")
    assert 'rows = """\norders  id 1\norders  id 2\n"""' in (tmp_path / "lock").read_text("utf-8")


def test_sql_stands_on_lines_of_its_own_for_review(tmp_path: Path) -> None:
    write(FULL, tmp_path / "lock")
    assert "\nFROM orders\nWHERE note" in (tmp_path / "lock").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version = 1\n[asked", "is not a lock file"),
        ("version = 7\n", "version 7; this askwire reads versions 1 to 2"),
        ("version = 1\n", "'asked'"),
        ("version = 1\n[asked]\nsearch_path = 'public'\n", "search_path is 'public'"),
        ("version = 1\n[asked]\n[[question]]\nsql = 'SELECT 1'\n", "a question without words"),
        (
            "version = 1\n[asked]\n[[question]]\nquestion = 'q'\n[question.options]\nsql = true\n",
            "unknown option",
        ),
        (
            "version = 1\n[asked]\n[[question]]\nquestion = 'q'\n[[question.rival]]\nanswer = 'perhaps'\n",
            "unknown answer 'perhaps'",
        ),
    ],
)
def test_what_is_no_lock_is_told_so(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "lock").write_text(text, "utf-8")
    with pytest.raises(ConfigurationError) as failure:
        read(tmp_path / "lock")
    assert said in failure.value.message


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        read(tmp_path / "lock")
