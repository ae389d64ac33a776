"""Splitting: passing over plain text quickly finds the same ends of statements as reading every token."""

from doubles.time_bounds import ProcessorTime
from hypothesis import given
from hypothesis import strategies as st

from askwire.sql.scan import Kind, scan
from askwire.sql.statements import split

FRAGMENTS = st.sampled_from(
    [
        *(
            ";",
            ";;",
            "(",
            ")",
            "'",
            "''",
            "'a'",
            "'a;b'",
            "'\\'",
            "E'\\'",
            "e",
            "E",
            "1",
            "1e5",
            "1_0",
            "0x1f",
        ),
        *(
            "$$",
            "$a$",
            "$1",
            "a$$b",
            "--",
            "/*",
            "*/",
            "\n",
            " ",
            '"',
            "U&'",
            'u&"',
            "N'",
            "B'",
            "x",
            "ask",
            "é",
        ),
        *(
            "1$$",
            "_0$$",
            "&",
            "a&",
            "-",
            "+",
            "/",
            "*",
            ".",
            ",",
            "::",
            "{",
            "\\",
            "\0",
            "\u00a0",
            "CASE",
            "END",
        ),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=25).map("".join)


def ends_token_by_token(text, conforming):
    ends, depth = [], 0
    for token in scan(text, standard_conforming_strings=conforming):
        if token.kind is Kind.PUNCTUATION:
            character = text[token.start]
            if character == "(":
                depth += 1
            elif character == ")":
                depth = max(depth - 1, 0)
            elif character == ";" and depth == 0:
                ends.append(token.start)
    return ends


@given(TEXTS, st.booleans())
def test_the_quick_way_finds_the_same_ends(text, conforming):
    ends = ends_token_by_token(text, conforming)
    starts = [0, *(end + 1 for end in ends)]
    expected = []
    for start, end in zip(starts, [*ends, None], strict=True):
        stop = len(text) if end is None else end
        tokens = [
            token
            for token in scan(text, start=start, standard_conforming_strings=conforming)
            if token.start < stop
            and token.kind is not Kind.SPACE
            and not (token.kind is Kind.COMMENT and token.closed)
        ]
        if tokens:
            expected.append((tokens, end))
    found = [(list(s.tokens), s.terminator) for s in split(text, standard_conforming_strings=conforming)]
    assert found == expected


def test_a_megabyte_is_split_in_a_fraction_of_a_second():
    text = "INSERT INTO t (a, b, c) VALUES (1, 'some text', now());\n" * 18_000
    taken = ProcessorTime()
    assert sum(1 for _ in split(text)) == 18_000
    assert taken.within(2.0)
