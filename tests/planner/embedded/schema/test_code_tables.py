"""Tables that explain the codes of many columns: which they are, and which list explains which column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from askwire.planner.embedded.schema.code_tables import code_table, explained
from askwire.sql.catalog import ForeignKey, Relation

LISTS = (
    ("ACCT_STAT", "A", "Active"),
    ("ACCT_STAT", "C", "Closed"),
    ("ORD_STAT", "NEW", "Open"),
    ("ORD_STAT", "REJ", "Rejected "),
    ("ORD_TYPE", "MKT", "Market"),
    ("ORD_TYPE", "LMT", "Limit"),
    ("CHNL", "W", "Website"),
    ("CHNL", "A", "Advisor"),
    ("RISK", "1", "Cautious"),
    ("RISK", "2", "Dynamic"),
)


def with_values(relation: Relation, **common: Sequence[str]) -> Relation:
    columns = tuple(
        replace(c, common_values=tuple(common.get(c.name, ())), distinct=float(len(common.get(c.name, ()))))
        for c in relation.columns
    )
    return replace(relation, columns=columns)


@pytest.fixture
def lookup(make_table):
    made = with_values(
        make_table(9, "code_lkp", "cd_grp:text cd:text descr:text"),
        cd_grp=("ACCT_STAT", "ORD_STAT", "ORD_TYPE", "CHNL", "RISK"),
    )
    return replace(made, primary_key=("cd_grp", "cd"))


def lists_of(lookup: Relation, *relations: Relation) -> dict[tuple[int, str], str]:
    table = code_table(lookup, {})
    assert table is not None
    return {at: one.name for at, one in explained([(table, LISTS)], relations).items()}


def test_names_cut_short_and_values_tell_which_list_explains_a_column(lookup, make_table):
    orders = with_values(
        make_table(1, "ord", "ord_id:int stat:text ord_typ:text chnl:text memo:text"),
        stat=("NEW", "REJ"),
        ord_typ=("MKT",),
        chnl=("W", "A"),
        memo=("A", "W"),
    )
    accounts = with_values(make_table(2, "acct", "acct_id:int stat:text"), stat=("A", "C"))
    customers = with_values(make_table(3, "cust", "cust_id:int risk_cd:int"), risk_cd=("1", "2"))
    assert lists_of(lookup, orders, accounts, customers, lookup) == {
        (1, "stat"): "ORD_STAT",
        (1, "ord_typ"): "ORD_TYPE",
        (1, "chnl"): "CHNL",
        (2, "stat"): "ACCT_STAT",
        (3, "risk_cd"): "RISK",
    }


def test_a_column_with_a_value_that_the_list_lacks_is_another_thing(lookup, make_table):
    orders = with_values(make_table(1, "ord", "ord_id:int stat:text"), stat=("NEW", "REJ", "SHIPPED"))
    assert lists_of(lookup, orders) == {}


def test_a_comment_may_name_the_list(lookup, make_table):
    orders = with_values(make_table(1, "deals", "deal_id:int how:text"), how=("W", "X"))
    columns = tuple(replace(c, comment="code list CHNL") if c.name == "how" else c for c in orders.columns)
    assert lists_of(lookup, replace(orders, columns=columns)) == {(1, "how"): "CHNL"}


def test_a_list_in_several_languages_is_known_to_repeat_its_codes(make_table):
    lookup = with_values(
        make_table(9, "lookup", "typ:text code:text lang:text label:text"), typ=("MAT", "COL")
    )
    table = code_table(replace(lookup, primary_key=("typ", "code", "lang")), {})
    assert table is not None
    assert not table.keyed
    items = with_values(make_table(1, "items", "item_id:int mat_cd:text"), mat_cd=("R", "F"))
    rows = [("MAT", "R", "Raw"), ("MAT", "R", "Roh"), ("MAT", "F", "Finished"), ("COL", "B", "Blue")]
    (found,) = explained([(table, rows)], [items]).values()
    assert (found.name, found.once) == ("MAT", False)


def test_a_list_named_like_a_column_with_other_values_is_another(lookup, make_table):
    calls = with_values(make_table(1, "calls", "call_id:int chnl:text"), chnl=("voice", "video"))
    assert lists_of(lookup, calls) == {}


def test_a_declared_key_refers_elsewhere(lookup, make_table):
    orders = with_values(make_table(1, "ord", "ord_id:int stat:text"), stat=("NEW", "REJ"))
    keyed = replace(orders, foreign_keys=(ForeignKey(("stat",), 5, ("code",)),))
    assert lists_of(lookup, keyed) == {}


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ("order_id:int line_no:int note:text", ("order_id", "line_no")),  # lines: no list has a name
        ("from_cur:text to_cur:text rate:money", ("from_cur", "to_cur")),  # no text
        ("city:text street:text shop:text", ("city", "street")),  # no column of what codes mean
    ],
)
def test_other_tables_with_a_key_of_two_columns_explain_no_codes(make_table, columns, key):
    made = with_values(
        make_table(9, "facts", columns), order_id=("1", "2"), from_cur=("EUR",), city=("A", "B")
    )
    assert code_table(replace(made, primary_key=key), {}) is None


def test_without_a_declared_key_the_names_tell(make_table):
    made = with_values(
        make_table(9, "lookup", "typ:text code:text sort_no:int label:text"), typ=("MAT", "COL")
    )
    found = code_table(replace(made, primary_key=()), {})
    assert found is not None
    assert (found.group.name, found.code.name, found.text.name) == ("typ", "code", "label")
