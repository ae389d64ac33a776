"""Writing names and values: PostgreSQL's own parser reads back what was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pglast import ast, keywords, parse_sql

from askwire.sql.literals import array_text, quote_identifier, quote_literal

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@given(TEXT.filter(bool).filter(lambda name: len(name.encode()) < 64))
def test_any_name_is_read_back(name):
    statement = parse_sql(f"SELECT {quote_identifier(name)} FROM {quote_identifier(name)}")[0].stmt
    assert statement.targetList[0].val.fields[0].sval == name
    assert statement.fromClause[0].relname == name


def test_every_keyword_is_a_usable_name():
    for name in sorted(
        keywords.RESERVED_KEYWORDS
        | keywords.TYPE_FUNC_NAME_KEYWORDS
        | keywords.COL_NAME_KEYWORDS
        | keywords.UNRESERVED_KEYWORDS
    ):
        statement = parse_sql(f"SELECT {quote_identifier(name)} FROM {quote_identifier(name)}")[0].stmt
        assert isinstance(statement.targetList[0].val, ast.ColumnRef), name
        assert statement.fromClause[0].relname == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders", "orders"),
        ("_x1", "_x1"),
        ("select", '"select"'),
        ("values", '"values"'),
        ("left", '"left"'),
        ("name", "name"),
        ("Orders", '"Orders"'),
        ("a b", '"a b"'),
        ('a"b', '"a""b"'),
        ("1a", '"1a"'),
        ("a$b", '"a$b"'),
        ("é", '"é"'),
        ("a\n", '"a\n"'),
    ],
)
def test_names(name, expected):
    assert quote_identifier(name) == expected


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_name_no_object_can_have(name):
    with pytest.raises(ValueError, match="identifier"):
        quote_identifier(name)


@given(TEXT)
def test_any_text_is_read_back(text):
    statement = parse_sql(f"SELECT {quote_literal(text)}")[0].stmt
    assert (statement.targetList[0].val.val.sval or "") == text


def test_literals():
    assert quote_literal("it's") == "'it''s'"
    assert quote_literal("a\\'b") == "E'a\\\\''b'"
    with pytest.raises(ValueError, match="NUL"):
        quote_literal("a\0")


def read_array(text):
    """PostgreSQL's array_in for the quoted, one-dimensional form."""
    assert text[0] == "{"
    assert text[-1] == "}"
    values, position = [], 1
    while position < len(text) - 1:
        if text.startswith("NULL", position):
            values.append(None)
            position += 4
        else:
            assert text[position] == '"'
            position += 1
            value = ""
            while text[position] != '"':
                position += text[position] == "\\"
                value += text[position]
                position += 1
            values.append(value)
            position += 1
        position += text[position] == ","
    return values


@given(st.lists(st.one_of(st.none(), TEXT)))
def test_any_list_is_read_back(values):
    assert read_array(array_text(values)) == values


def test_arrays():
    assert array_text([]) == "{}"
    assert array_text(["a", None, 'b"c', "d\\e", "NULL", ""]) == '{"a",NULL,"b\\"c","d\\\\e","NULL",""}'
    with pytest.raises(ValueError, match="NUL"):
        array_text(["\0"])
