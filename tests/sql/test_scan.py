"""The scanner: it covers any text, agrees with PostgreSQL's own scanner, and stays linear."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pglast import parser

from askwire.sql.scan import Kind, scan, significant

FRAGMENTS = st.sampled_from(
    [
        *("'", '"', "$$", "$a$", "$1", "\\", "/*", "*/", "--", "\n", "\r", " ", "\t", ";", "(", ")"),
        *("E'", "U&'", 'U&"', "N'", "B'", "X'", "''", '""', "ask", "x", "e", "u&", "1", "1.5e3", ".5", ".."),
        *("+", "-", "=", "@", "<=", "::", ":=", "é", "\u00a0", "\0", "[", "]", "$", "_", "0x1f", "1_0", "{"),
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=30).map("".join))


def tokens(text, **options):
    return [(token.kind, text[token.start : token.end]) for token in scan(text, **options)]


@given(TEXTS, st.booleans())
def test_tokens_cover_any_text_exactly(text, conforming):
    position = 0
    for token in scan(text, standard_conforming_strings=conforming):
        assert token.start == position
        assert token.end > token.start
        position = token.end
        assert token.closed or token.end == len(text)
    assert position == len(text)


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_agrees_with_the_servers_scanner(text):
    if "\0" in text:
        return
    try:
        theirs = [(t.start, t.end + 1, t.name) for t in parser.scan(text)]
    except parser.ParseError:
        return
    ours = list(significant(text))
    if any(not token.closed for token in ours):
        pytest.fail("PostgreSQL scanned a text that we call unterminated")
    spans = [(s, e) for s, e, name in theirs if name not in ("SQL_COMMENT", "C_COMMENT")]
    # The server's scanner reports N'…' as two tokens: the type's keyword and its constant.
    expected = []
    for token in ours:
        if token.kind is Kind.NATIONAL_STRING:
            expected += [(token.start, token.start + 1), (token.start + 1, token.end)]
        else:
            expected.append((token.start, token.end))
    assert spans == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=-1", [(Kind.IDENTIFIER, "a"), (Kind.OPERATOR, "="), (Kind.OPERATOR, "-"), (Kind.NUMBER, "1")]),
        ("@-1", [(Kind.OPERATOR, "@-"), (Kind.NUMBER, "1")]),
        ("+-+", [(Kind.OPERATOR, "+"), (Kind.OPERATOR, "-"), (Kind.OPERATOR, "+")]),
        ("a*/**/b", [(Kind.IDENTIFIER, "a"), (Kind.OPERATOR, "*"), (Kind.COMMENT, "/**/")]),
        ("=--x", [(Kind.OPERATOR, "="), (Kind.COMMENT, "--x")]),
        ("1..2", [(Kind.NUMBER, "1"), (Kind.PUNCTUATION, ".."), (Kind.NUMBER, "2")]),
        ("1.5e-3", [(Kind.NUMBER, "1.5e-3")]),
        ("0x1F", [(Kind.NUMBER, "0x1F")]),
        ("1_000", [(Kind.NUMBER, "1_000")]),
        ("a$$b", [(Kind.IDENTIFIER, "a$$b")]),
        ("$1a", [(Kind.PARAMETER, "$1"), (Kind.IDENTIFIER, "a")]),
        ("$a", [(Kind.OTHER, "$"), (Kind.IDENTIFIER, "a")]),
        ("$a$x$$y$a$", [(Kind.DOLLAR, "$a$x$$y$a$")]),
        ("ee'x'", [(Kind.IDENTIFIER, "ee"), (Kind.STRING, "'x'")]),
        ("u&x", [(Kind.IDENTIFIER, "u"), (Kind.OPERATOR, "&"), (Kind.IDENTIFIER, "x")]),
        ("B'01'X'1f'", [(Kind.BIT_STRING, "B'01'"), (Kind.HEX_STRING, "X'1f'")]),
        ("X''''", [(Kind.HEX_STRING, "X''"), (Kind.STRING, "''")]),
        ("'a' --b\n--c\n 'd'", [(Kind.STRING, "'a' --b\n--c\n 'd'")]),
        ("/*/**/", [(Kind.COMMENT, "/*/**/")]),
        ("a::int", [(Kind.IDENTIFIER, "a"), (Kind.PUNCTUATION, "::"), (Kind.IDENTIFIER, "int")]),
    ],
)
def test_tokens(text, expected):
    assert tokens(text)[: len(expected)] == expected


def test_backslash_escapes_a_quote_only_where_it_does():
    assert tokens(r"'a\'b'")[0] == (Kind.STRING, r"'a\'")
    assert tokens(r"E'a\'b'")[0] == (Kind.ESCAPE_STRING, r"E'a\'b'")
    assert tokens(r"'a\'b'", standard_conforming_strings=False)[0] == (Kind.STRING, r"'a\'b'")


@pytest.mark.parametrize("text", ["'a", "E'a\\'", '"a', "$a$ $b$", "/* /* */", "'a'\n'b", 'U&"'])
def test_a_text_that_ends_inside_a_token_says_so(text):
    assert [token.closed for token in scan(text)][-1] is False


@pytest.mark.parametrize(
    "unit",
    [
        "+",
        "'",
        "$a",
        "/*",
        "'a' ",
        "$a$ ",
        "'a'\n",
        "-- ",
        "--\n",
        "1",
        "1_",
        "=+",
        "U&",
        "''\\",
        '"',
        "e'\\",
        "$",
    ],
)
@pytest.mark.slow
def test_hostile_repetition_stays_linear(unit):
    def seconds(text):
        began = time.process_time()
        for _ in scan(text):
            pass
        return time.process_time() - began

    prefix = "'a'" if unit.startswith("-") else ""
    bound = 0.05 + 32 * min(seconds(prefix + unit * 4_000) for _ in range(3))
    assert any(seconds(prefix + unit * 32_000) < bound for _ in range(3))
