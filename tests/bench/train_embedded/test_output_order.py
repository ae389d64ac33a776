"""What gold SQL's order of groups and numbers is counted by, and the share told by other databases."""

from __future__ import annotations

import json

import pytest

from askwire.bench.train_embedded.output_order import measure, wording

_NUMBER_FIRST = "SELECT count(*), city FROM shops GROUP BY city"
_GROUP_FIRST = "SELECT city, count(*) FROM shops GROUP BY city"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Find the number of shops in each city.", "find … of each"),
        ("Show the number of shops in each city.", "list … of each"),
        ("What is the number of shops in each city?", "what … of each"),
        ("How many shops are in each city?", "how many"),
        ("Find the number of shops by city.", "by or per"),
        ("For each city, find the number of shops.", "group said first"),
        ("Find the number of shops in each place.", "not placed"),
    ],
)
def test_wordings_are_told_apart(question, kind):
    assert wording(question, _NUMBER_FIRST) == (kind, True)
    assert wording(question, _GROUP_FIRST) == (kind, False)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city FROM shops GROUP BY city",
        "SELECT count(*) FROM shops GROUP BY city",
        "SELECT count(*), city, sum(area) FROM shops GROUP BY city",
        "SELECT city, area FROM shops",
        "SELECT",
        "no SQL",
    ],
)
def test_queries_without_groups_beside_numbers_are_not_counted(sql):
    assert wording("Find the number of shops in each city.", sql) is None


def test_the_first_few_are_a_wording_of_their_own():
    told = wording("Find the number of shops in each city.", f"{_NUMBER_FIRST} ORDER BY 1 DESC LIMIT 1")
    assert told == ("the first few", True)


def test_the_order_of_a_database_is_told_by_the_others_alone(tmp_path):
    golds = [("a", _NUMBER_FIRST)] * 3 + [("b", _GROUP_FIRST), ("c", _NUMBER_FIRST)]
    lines = [
        {
            "id": str(n),
            "db_id": db_id,
            "question": "Find the number of shops in each city.",
            "gold_sql": sql,
            "ordered": False,
        }
        for n, (db_id, sql) in enumerate(golds)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert measure(file) == {
        "find … of each": {
            "questions": 5,
            "groups_first": 1,
            "numbers_first": 4,
            "databases_groups_first": 1,
            "databases_numbers_first": 2,
            # of a, b and c tell 1 of 2: no more than half, so groups first, which is wrong three times
            "right_left_out": 20.0,
        }
    }
