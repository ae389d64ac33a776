"""The statements that teach: what each says, and where a malformed one is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import find_asks, find_commands

WORDS = st.sampled_from(
    [
        *(
            "ASK",
            "CHOOSE",
            "right",
            "WRONG",
            "LEARN",
            "FORGET",
            "approve",
            "AS",
            "'x'",
            "''",
            "$$y$$",
            "1",
            "0",
            "-1",
        ),
        *("99999999999", ";", "'", "E'\\", "(", "/*", "--\n", "SELECT 1", "$1", "1.5"),
    ]
)


@pytest.mark.parametrize(
    ("text", "kind", "arguments"),
    [
        ("ASK CHOOSE 2", "choose", {"number": 2}),
        ("ask choose 10;", "choose", {"number": 10}),
        ("ASK RIGHT", "right", {}),
        ("/* yes */ Ask Right ;", "right", {}),
        ("ASK WRONG", "wrong", {}),
        ("ASK WRONG 'SELECT 1'", "wrong", {"sql": "SELECT 1"}),
        ("ASK WRONG $$SELECT 'x'$$;", "wrong", {"sql": "SELECT 'x'"}),
        ("ASK LEARN 'late' AS 'shipped after required'", "learn", ("late", "shipped after required")),
        ("ASK LEARN E'it\\'s' AS $$x$$", "learn", ("it's", "x")),
        ("ASK FORGET 'late'", "forget", {"term": "late"}),
        ("ask approve '0f3a';", "approve", {"term": "0f3a"}),
        ("ASK FORGET 12;", "forget", {"number": 12}),
        ("Ask Help", "help", {}),
    ],
)
def test_what_a_command_says(text, kind, arguments):
    (command,) = find_commands(text)
    if isinstance(arguments, tuple):
        arguments = dict(zip(("term", "meaning"), arguments, strict=True))
    expected = {"number": 0, "term": "", "meaning": "", "sql": "", **arguments}
    assert command.kind == kind
    assert {name: getattr(command, name) for name in expected} == expected
    assert text[command.start : command.end] == text[text.lower().index("ask") :].rstrip("; ")
    assert find_asks(text) == ()


@pytest.mark.parametrize(
    ("text", "message", "pointed"),
    [
        ("ASK CHOOSE", "syntax error at end of input", ""),
        ("ASK CHOOSE x", 'syntax error at or near "x"', "x"),
        ("ASK CHOOSE 0", "CHOOSE requires a positive integer", "0"),
        ("ASK CHOOSE 99999999999", "CHOOSE requires a positive integer", "9999"),
        ("ASK CHOOSE 1.5", 'syntax error at or near "1.5"', "1.5"),
        ("ASK CHOOSE '1'", "syntax error at or near \"'1'\"", "'1'"),
        ("ASK CHOOSE 1 2", 'syntax error at or near "2"', "2"),
        ("ASK RIGHT 'q'", "syntax error at or near \"'q'\"", "'q'"),
        ("ASK WRONG 3;", 'syntax error at or near "3"', "3"),
        ("ASK WRONG 'SELECT", "unterminated quoted string", "'SELECT"),
        ("ASK LEARN 'a'", "syntax error at end of input", ""),
        ("ASK LEARN 'a' 'b'", "syntax error at or near \"'b'\"", "'b'"),
        ("ASK LEARN 'a' AS;", 'syntax error at or near ";"', ";"),
        ("ASK LEARN '' AS 'b'", "the text must not be empty", "''"),
        ("ASK LEARN 'a' AS ' '", "the text must not be empty", "' '"),
        ("ASK APPROVE", "syntax error at end of input", ""),
        ("ASK FORGET 0", "FORGET requires a positive integer", "0"),
        ("ASK FORGET 1 2", 'syntax error at or near "2"', "2"),
        ("ASK FORGET -1", 'syntax error at or near "-"', "-"),
        ("ASK HELP 'x'", "syntax error at or near \"'x'\"", "'x'"),
        ("ASK APPROVE ''", "the text must not be empty", "''"),
        ("SELECT 1; ASK FORGET x", 'syntax error at or near "x"', "x"),
    ],
)
def test_what_is_wrong_with_a_command(text, message, pointed):
    with pytest.raises(AskSyntaxError) as caught:
        find_commands(text)
    assert caught.value.message == message
    assert text[caught.value.position - 1 :].startswith(pointed)
    assert caught.value.hint or "unterminated" in message


def test_commands_among_other_statements():
    text = "BEGIN; ASK RIGHT; ASK 'how many'; ask wrong"
    assert [(c.kind, c.statement_index, c.statement_count) for c in find_commands(text)] == [
        ("right", 1, 4),
        ("wrong", 3, 4),
    ]
    assert [site.statement_index for site in find_asks(text)] == [2]


@pytest.mark.parametrize(
    "text", ["ASK 'choose 1'", "SELECT ask choose", "'ASK RIGHT'", '"ask" right', "-- ASK RIGHT"]
)
def test_what_is_no_command(text):
    assert find_commands(text) == ()


@given(st.lists(WORDS, max_size=10).map(" ".join))
def test_any_text_yields_commands_or_a_syntax_error_inside_it(text):
    position, commands = 1, ()
    try:
        commands = find_commands(text)
    except AskSyntaxError as error:
        position = error.position
    assert 1 <= position <= len(text) + 1
    for command in commands:
        assert text[command.start : command.start + 3] == "ASK"
