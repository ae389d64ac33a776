"""Every position and trap of cases/ask/*.sql: what is found, what it becomes, and what PostgreSQL says."""

import re

import psycopg
import pytest
from data.ask_cases import QUESTION_OF_PARAMETER, cases
from doubles.case_tables import every

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import find_asks, find_misplaced, might_hold_ask, reads_back, substitute
from askwire.sql.scan import Kind, scan

CASES = {case.name: case for case in cases()}
ACCEPTED = {
    name: case
    for name, case in CASES.items()
    if not case.error and (not case.misplaced or name.startswith("traps"))
}
VARIATIONS = (
    (str.upper, " "),
    (str.lower, "\t"),
    (str.swapcase, " /* ASK 'no' */ "),
    (str, " -- (ASK 'no')\n"),
)
"""Other capitals, and what stands between tokens."""


def answered(text, sites):
    return substitute(text, [(site, site.question or QUESTION_OF_PARAMETER) for site in sites])


def shown(site):
    literal = ", or a literal" if site.could_be_literal else ""
    hidden = ", under " + " ".join(sorted(site.hidden)) if site.hidden else ""
    return f"{site.place.value} in {site.command.value}{literal}{hidden}"


def outcome(text):
    """What a text comes to: its sites as shown, or the message of its error."""
    try:
        sites = find_asks(text)
        if sites:
            reads_back(substitute(text, [(site, "SELECT NULL") for site in sites]))
    except AskSyntaxError as error:
        return re.sub('".*"', "", error.message, flags=re.DOTALL)
    misplaced = [(place.form, place.storing) for place in find_misplaced(text)]
    return [(shown(site), site.question, site.form, site.wrapped, site.alias) for site in sites] + misplaced


def kept(place):
    own = " of its own" if place.defines else ""
    return f"{place.start + 1}: {place.form} in {place.storing.name.lower()}{own}"


def varied(text, of_word, between):
    """The text with other capitals in its words and other white space between its tokens."""
    pieces = []
    for token in scan(text):
        source = text[token.start : token.end]
        if token.kind is Kind.IDENTIFIER:
            pieces.append(of_word(source))
        elif token.kind is Kind.SPACE and "\n" not in source:
            pieces.append(between)
        elif token.kind is Kind.PUNCTUATION and source in "();,":
            pieces.append(between + source + between)
        else:
            pieces.append(source)
    return "".join(pieces)


@pytest.fixture(scope="module")
def connection(make_database):
    with psycopg.connect(make_database().dsn(), autocommit=True, prepare_threshold=None) as connection:
        connection.execute("CREATE TABLE t (a int UNIQUE, b int); INSERT INTO t VALUES (5, 6)")
        connection.execute("CREATE TABLE ask (ask int, price int); INSERT INTO ask VALUES (1, 2)")
        yield connection


@every("case", CASES)
def test_recognition_and_rewriting(case):
    if case.error:
        with pytest.raises(AskSyntaxError) as caught:
            reads_back(substitute(case.text, [(site, "SELECT NULL") for site in find_asks(case.text)]))
        assert f"{caught.value.position}: {caught.value.message}" == case.error
        assert caught.value.hint == case.hint
        return
    sites = find_asks(case.text)
    assert "; ".join(map(kept, find_misplaced(case.text))) == case.misplaced
    assert "; ".join(map(shown, sites)) == case.places
    rewritten = answered(case.text, sites)
    assert rewritten.text == (case.rewritten or case.text)
    if not case.misplaced:
        reads_back(rewritten)
    assert not sites or might_hold_ask(case.text.encode())


@every("case", ACCEPTED)
def test_postgres_takes_the_rewritten_text(case, connection):
    sites = find_asks(case.text)
    if all(site.could_be_literal for site in sites) and case.name.startswith("traps"):
        sites = ()
    code = ""
    with connection.transaction(force_rollback=True), connection.cursor() as cursor:
        try:
            with connection.transaction():
                cursor.execute(answered(case.text, sites).text)
        except psycopg.Error as error:
            code = error.sqlstate
    connection.execute("DEALLOCATE ALL")
    assert code == case.sqlstate


@every("case", CASES)
def test_capitals_comments_and_white_space_change_nothing(case):
    expected = outcome(case.text)
    for of_word, between in VARIATIONS:
        text = varied(case.text, of_word, between)
        found = outcome(text)
        if isinstance(expected, list) and "under" in case.places:
            assert len(found) == len(expected), text
        else:
            assert found == expected, text


@every("case", ACCEPTED)
def test_the_way_back_is_exact_outside_the_asks_and_never_goes_backwards(case):
    sites = find_asks(case.text)
    rewritten = answered(case.text, sites)
    positions = [rewritten.original_position(p) for p in range(1, len(rewritten.text) + 2)]
    assert positions == sorted(positions)
    assert positions[-1] == len(case.text) + 1
    assert rewritten.original_position(0) is None
    assert rewritten.original_position(len(rewritten.text) + 2) is None
    inside = {p for site in sites for p in range(site.start + 2, site.end + 1)}
    assert set(range(1, len(case.text) + 2)) - inside == set(positions)
    once = [p for p in positions if positions.count(p) == 1]
    for number, position in enumerate(positions):
        if position in once and position <= len(case.text):
            assert rewritten.text[number] == case.text[position - 1]


def test_another_name_for_the_function():
    text = "SELECT * FROM frage('q'), ask('r')"
    (site,) = find_asks(text, function_name="frage")
    assert (site.question, site.alias) == ("q", "frage")
    assert find_asks("SELECT * FROM ask('q') s", function_name="") == ()
    assert len(find_asks("SELECT * FROM (ASK 'q') s, ask('r') u", function_name="")) == 1


def test_a_server_newer_than_the_grammar_judges_itself():
    text = "SELECT NEWER GRAMMAR FROM (ASK 'q') s WHERE IS NEW"
    placed = substitute(text, [(site, "SELECT 1") for site in find_asks(text)])
    reads_back(placed, server_version=990_000)
    with pytest.raises(AskSyntaxError):
        reads_back(placed, server_version=180_006)


def test_one_message_holds_a_bounded_number():
    text = "; ".join(f"ASK '{n}'" for n in range(64))
    assert len(find_asks(text)) == 64
    for further in ("; ASK 'last'", "; SELECT (ASK 'last')"):
        with pytest.raises(AskSyntaxError, match="at most 64 ASKs"):
            find_asks(text + further)


def test_there_are_enough_cases():
    assert len(CASES) >= 300
    assert len(list(cases())) == len(CASES)
