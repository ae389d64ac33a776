"""ASK recognition and substitution as properties of any text."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import find_asks, find_commands, might_hold_ask, preceding, reads_back, substitute
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
CLAUSES = st.sampled_from(
    [
        *(
            "SELECT",
            "FROM",
            "(",
            ")",
            "(",
            ")",
            ",",
            ";",
            "ASK 'q'",
            "ASK 'q'",
            "(ASK 'q')",
            "ASK $1",
            "x",
            "t",
        ),
        *(
            "ask('q')",
            "ask('q', 'sql')",
            "\"ask\"('q')",
            "ask",
            "AS",
            '"a b"',
            "ask 'x'",
            "[",
            "]",
            ".",
            "=",
            "1",
        ),
        *(
            "WITH x AS (",
            "WITH RECURSIVE",
            "UNION",
            "ALL",
            "EXCEPT",
            "INSERT INTO t",
            "INSERT INTO",
            "RETURNING",
        ),
        *(
            "EXPLAIN",
            "ANALYZE",
            "CREATE TABLE n AS",
            "CREATE VIEW v AS",
            "CREATE FUNCTION f()",
            "BEGIN ATOMIC",
        ),
        *(
            "CREATE RULE r AS ON SELECT TO t DO",
            "DECLARE c CURSOR FOR",
            "PREPARE p AS",
            "COPY",
            "TO",
            "LATERAL",
        ),
        *(
            "JOIN",
            "ON",
            "USING",
            "IN",
            "EXISTS",
            "ARRAY",
            "WHERE",
            "ORDER BY",
            "LIMIT",
            "MERGE INTO",
            "UPDATE",
        ),
        *("SET", "DELETE", "VALUES", "IS DISTINCT", "::text", "RIGHT", "CHOOSE", "-- c\n", "/* c */", "WITH"),
    ]
)
STATEMENTS = st.lists(CLAUSES, max_size=25).map(" ".join)
TEXTS = st.one_of(STATEMENTS, st.text(max_size=40), st.lists(FRAGMENTS, max_size=14).map("".join))


@settings(deadline=None)
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
        assert text[site.start : site.start + 4].lstrip('"')[:3].lower() == "ask"
        assert site.start < site.end <= len(text)
        assert bool(site.question.strip()) == (site.parameter is None)
        assert 0 <= site.statement_index < site.statement_count
    assert list(sites) == sorted(sites, key=lambda site: site.start)


@settings(deadline=None)
@given(TEXTS)
def test_the_prefilter_never_misses_an_ask(text):
    try:
        found = find_asks(text) != ()
    except AskSyntaxError:
        found = True
    assert not found or might_hold_ask(text.encode("utf-8", "surrogatepass"))


@settings(deadline=None)  # the first text loads the keywords
@given(TEXTS)
def test_only_the_asks_change_and_every_position_leads_back(text):
    try:
        sites = find_asks(text)
    except AskSyntaxError:
        return
    # a character that no text here holds, so that what was written is told from what was there
    rewritten = substitute(text, [(site, "\u2603") for site in sites])
    if not sites:
        assert rewritten.text == text
    positions = [rewritten.original_position(p) for p in range(1, len(rewritten.text) + 2)]
    assert positions == sorted(positions)
    ours = {site.start + 1 for site in sites}
    kept = {p for site in sites for p in range(site.start + 1, site.end + 1)}
    outside = [p for p in range(1, len(text) + 2) if p not in kept]
    assert set(outside) | ours == set(positions)
    for position in outside[:-1]:
        begins = positions.index(position)
        assert rewritten.text[begins] == text[position - 1]


@settings(deadline=None)  # the first text loads the parser and the reviewed functions
@given(TEXTS)
def test_what_is_said_of_a_text_is_said_without_another_error(text):
    try:
        sites = find_asks(text)
        find_commands(text)
    except AskSyntaxError:
        return
    found = preceding(text, sites)
    assert [p.index for p in found] == list(range(len(found)))
    position = 1
    try:
        reads_back(substitute(text, [(site, "SELECT NULL") for site in sites]))
    except AskSyntaxError as error:
        position = error.position
    assert 0 <= position <= len(text) + 1


@settings(deadline=None)
@given(STATEMENTS, st.sampled_from([str.upper, str.lower, str.swapcase]))
def test_capitals_do_not_change_what_is_asked(text, change):
    found = []
    for written in (text, change(text.replace('"a b"', "ab"))):
        try:
            sites = find_asks(written.replace('"a b"', "ab"))
            found.append([(s.place, s.command, s.form, s.could_be_literal, s.wrapped) for s in sites])
        except AskSyntaxError as error:
            found.append(error.position)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "(ask(",
            "(ASK 'q' UNION ",
            "SELECT * FROM (",
            "WITH x AS (",
            "ask (",
            "[",
            "FROM ask (a) ",
            "; ask ",
        ),
        *("(ask 'x' ||", "(ask 'x', ", "ask 'x' ", "from ask, ", '(ask as "a"', "insert into t (", "ask--\n"),
    ],
)
@pytest.mark.slow
def test_hostile_repetition_stays_linear(unit):
    def seconds(number):
        text = "SELECT 1, " + unit * number
        began = time.process_time()
        with contextlib.suppress(AskSyntaxError):
            find_asks(text)
        return time.process_time() - began

    bound = 0.1 + 32 * min(seconds(1_000) for _ in range(3))
    assert any(seconds(8_000) < bound for _ in range(3))


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
