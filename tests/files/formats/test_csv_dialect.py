"""How CSV files are written, told from their beginning."""

from __future__ import annotations

import pytest

from askwire.files.formats.csv_dialect import tell_dialect

#                name: text → delimiter, lines above, header, names
DIALECTS: dict[str, tuple[str, str, int, bool, tuple[str, ...]]] = {
    "comma": ("a,b\n1,2\n", ",", 0, True, ("a", "b")),
    "semicolon beside decimal commas": ("Name;Preis\nA;1,5\nB;2,5\n", ";", 0, True, ("Name", "Preis")),
    "tab": ("a\tb\nx, y\t1\n", "\t", 0, True, ("a", "b")),
    "pipe": ("a|b\n1|2\n", "|", 0, True, ("a", "b")),
    "carriage returns": ("a,b\r1,2\r", ",", 0, True, ("a", "b")),
    "titles above": (
        "Sales report\nMade 2024\n\nregion,amount\nN,5\nS,6\n",
        ",",
        3,
        True,
        ("region", "amount"),
    ),
    "comments above": ("# made by x\n# v1\na,b\n1,2\n", ",", 2, True, ("a", "b")),
    "a header behind #": ("#id,name\n1,x\n", ",", 0, True, ("#id", "name")),
    "no header": ("1,2,x\n3,4,y\n", ",", 0, False, ("", "", "")),
    "a first row that comes again": ("Ann,Paris\nBob,Rome\nAnn,Oslo\n", ",", 0, False, ("", "")),
    "words only": ("name,city\nAnn,Paris\n", ",", 0, True, ("name", "city")),
    "years": ("country,2019,2020\nDE,1,2\n", ",", 0, True, ("country", "2019", "2020")),
    "a header only": ("a,b,c\n", ",", 0, True, ("a", "b", "c")),
    "one column": ("name\nAnn\nBob\n", ",", 0, True, ("name",)),
    "one column of numbers": ("5\n6\n", ",", 0, False, ("",)),
    "row names without a name": ("a,b\nx,1,2\ny,3,4\n", ",", 0, True, ("", "a", "b")),
    "delimiters at the ends": ("a,b\n1,2,\n3,4,\n", ",", 0, True, ("a", "b", "")),
    "quoted lines": ('a,b\n"x\ny",2\n', ",", 0, True, ("a", "b")),
    "ragged": ("a,b,c\n1,2\n1,2,3\n" + "4,5,6\n" * 9, ",", 0, True, ("a", "b", "c")),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_told(name: str) -> None:
    text, delimiter, skip, header, names = DIALECTS[name]
    dialect = tell_dialect(text, whole=True)
    assert dialect is not None
    assert (dialect.delimiter, dialect.skip, dialect.header, dialect.names) == (
        delimiter,
        skip,
        header,
        names,
    )


def test_quotes_and_their_escapes_are_told() -> None:
    single = tell_dialect("a,b\n'x, y',2\n'z',3\n", whole=True)
    assert single is not None
    assert single.quote == "'"
    backslash = tell_dialect('a,b\n"say \\"hi\\", ok",2\n', whole=True)
    assert backslash is not None
    assert backslash.escape == "\\"


def test_rows_that_leave_out_their_last_fields_are_padded_where_it_is_usual() -> None:
    rare = tell_dialect("a,b,c\n" + "1,2,3\n" * 50 + "1,2\n", whole=True)
    usual = tell_dialect("a,b,c\n" + "1,2,3\n1,2\n1\n2,3,4\n" * 10, whole=True)
    assert rare is not None
    assert usual is not None
    assert (rare.pad, usual.pad) == (False, True)


def test_no_fields_are_no_dialect() -> None:
    assert tell_dialect("\n\n  \n", whole=True) is None
