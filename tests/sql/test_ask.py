"""ASK recognition and substitution as properties of any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import find_asks, might_hold_ask, substitute
from askwire.sql.literals import quote_literal

FRAGMENTS = st.sampled_from(
    [
        *("ASK", "ask ", "ASK '", "'q'", "'", "$$", "$1", "E'\\", "U&'\\", "UESCAPE '!'", "(", ")", ",", ";"),
        *(
            "SQL",
            "WHY",
            "TIMEOUT",
            "'3s'",
            "/*",
            "*/",
            "--",
            "\n",
            "\\uD83D",
            "\\x0",
            "SELECT 1",
            " ",
            "é",
            "\0",
        ),
        *("BEGIN ATOMIC", "CREATE FUNCTION", "END", '"', "-", "1", "\udcff", "CANDIDATES", "EVIDENCE"),
    ]
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(FRAGMENTS, max_size=14).map("".join))


@given(TEXTS, st.booleans())
def test_any_text_yields_sites_or_a_syntax_error_inside_it(text, conforming):
    position = 1
    sites = ()
    try:
        sites = find_asks(text, standard_conforming_strings=conforming)
    except AskSyntaxError as error:
        position = error.position
    assert 1 <= position <= len(text) + 1
    for site in sites:
        assert text[site.start : site.start + 3].lower() == "ask"
        assert site.start < site.end <= len(text)
        assert bool(site.question.strip()) == (site.parameter is None)
        assert 0 <= site.statement_index < site.statement_count
    assert list(sites) == sorted(sites, key=lambda site: site.start)


@given(TEXTS)
def test_the_prefilter_never_misses_an_ask(text):
    try:
        found = find_asks(text) != ()
    except AskSyntaxError:
        found = True
    assert not found or might_hold_ask(text.encode("utf-8", "surrogatepass"))


@given(TEXTS)
def test_putting_an_asks_own_text_back_changes_only_the_parentheses(text):
    try:
        sites = find_asks(text)
    except AskSyntaxError:
        return
    result = substitute(text, [(site, text[site.start : site.end]) for site in sites]).text
    shift = 0
    for site in sites:
        assert result[site.start + shift] == "("
        assert result[site.end + shift + 1] == ")"
        result = result[: site.start + shift] + result[site.start + shift + 1 :]
        result = result[: site.end + shift] + result[site.end + shift + 1 :]
    assert result == text


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_question_arrives_as_it_was_written(question):
    if not question.strip():
        return
    for literal in (quote_literal(question), "E'" + question.replace("\\", r"\\").replace("'", r"\'") + "'"):
        (site,) = find_asks(f"/* x */ ASK {literal}; SELECT 1")
        assert site.question == question


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "/*a*/ (SELECT 1) -- b"),
        ("SELECT 1 ; -- done\n", "/*a*/ (SELECT 1) -- b"),
        ("SELECT 1 -- one", "/*a*/ (SELECT 1) -- b"),
        ("SELECT ';' -- one;", "/*a*/ (SELECT ';') -- b"),
    ],
)
def test_the_sql_cannot_swallow_its_parenthesis(sql, expected):
    text = "/*a*/ ASK 'q' -- b"
    assert substitute(text, [(find_asks(text)[0], sql)]).text == expected


def test_overlapping_sites_are_a_mistake_of_the_caller():
    text = "ASK 'q'"
    (site,) = find_asks(text)
    with pytest.raises(ValueError, match="overlap"):
        substitute(text, [(site, "SELECT 1"), (site, "SELECT 2")])
