"""Names cut short, and the words that a table's name only rounds off."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.schema import identifiers, schema_index
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CLSD_DT", ("closed", "date")),
        ("hh_incm", ("household", "income")),
        ("dist_cd", ("district", "code")),
        ("supv_dist", ("supervisor", "district")),
        ("dist", ("distance",)),
        ("addr_st_num", ("address", "street", "number")),
        ("ship_st", ("ship", "state")),
        ("pct_prof", ("percentage", "proficient")),
        ("prof_nm", ("professor", "name")),
        ("exp_dt", ("expiration", "date")),
        ("exp", ("expense",)),
        ("hm_tm", ("hm", "team")),
        ("po_dt", ("purchase", "order", "date")),
        ("st_dt", ("start", "date")),
        ("lst_prc", ("list", "price")),
        ("arr_dly", ("arrival", "delay")),
        ("own_nm", ("owner", "name")),
        ("del_flg", ("deleted", "flag")),
        ("lst_nm", ("last", "name")),
        ("opn_ts", ("opened", "time")),
        ("bld_grp", ("blood", "group")),
        ("empid", ("employee", "id")),
        ("actv_flg", ("active", "flag")),
    ],
)
def test_a_name_cut_short_means_what_its_company_says(name, words):
    assert identifiers.words(name) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("schl_dir", ("school",)),
        ("dist_dir", ("district",)),
        ("insp_res", ("inspection",)),
        ("pat_mst", ("patient",)),
        ("bill_hdr", ("bill",)),
        ("info", ("information",)),
    ],
)
def test_what_only_says_that_it_is_a_table_is_no_word_of_it(name, words):
    assert identifiers.table_words(name) == words


def test_a_table_is_named_by_its_own_word_before_the_name_of_somebody(make_table):
    catalog = Catalog((make_table(1, "tm_info", "tm:text cty:text mgr_nm:text cap:int"),))
    index = schema_index.build(catalog)
    assert [index.columns[c].column.name for c in index.labels[0]] == ["tm"]


def test_what_several_tables_begin_with_says_nothing(make_table):
    tables = [make_table(n, name, "a:text") for n, name in enumerate(("MM_MATL", "MM_STCK", "LK_TYP"), 1)]
    index = schema_index.build(Catalog(tuple(tables)))
    assert [t.words for t in index.tables] == [("material",), ("stock",), ("type",)]


@pytest.mark.parametrize(
    ("name", "words"), [("POHD", ("purchase", "order")), ("POIT", ("purchase", "order", "item"))]
)
def test_a_table_is_called_by_its_key_and_what_its_rows_are(name, words, make_table):
    index = schema_index.build(Catalog((make_table(1, name, "po_no:text qty:int"),)))
    assert index.tables[0].words == words


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ("instr_id:id ticker:text instr_nm:text", "instrument"),
        ("instr_id:id serial_no:text calib_dt:date", "instrument"),
        ("instr_id:id first_nm:text last_nm:text", "instructor"),
    ],
)
def test_what_a_table_holds_says_what_its_short_name_means(columns, word, make_table):
    tables = (make_table(1, "instr", columns), make_table(2, "usage_log", "log_id:id instr_id:id"))
    index = schema_index.build(Catalog(tables))
    assert index.tables[0].words == (word,)
    assert index.columns[index.tables[1].columns[1]].full == (word, "id")
