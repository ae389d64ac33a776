"""docs/errors.md, written from the tree of errors and from the calls that make them.

Owns: the page's words. All that is said of one error comes from its class and from its calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from askwire.core import errors
from askwire.core.errors import AskwireError
from reference.error_texts import LOG_IN, ErrorText, texts_of
from reference.wrapping import item, paragraph

_INTRODUCTION: Final = """\
# Errors

An ASK that gets no rows is an SQL error with a message, and often a DETAIL and a HINT. Its SQLSTATE
says what kind of error it is; those of class `NL` are askwire's own. The transaction, savepoints
and the driver's error handling work as for any error of PostgreSQL.

| SQLSTATE | what happened |
|---|---|
"""

_MIDDLE: Final = """
`XX000` is an error inside askwire: its message has an id, and the log has the details under it.
Errors of the database itself pass unchanged, with PostgreSQL's own SQLSTATE.

Below are all texts. Parts that vary are written ‹so›; `/` separates alternatives. Commands print
message and hint of an error on one line and exit with status 2.
"""

_ENDED: Final = """
## Errors that end a connection

A connection is refused or ended with one of these, FATAL, and its SQLSTATE.
"""

_OUTRO: Final = """
Written by `PYTHONPATH=.typing:tests python -m reference` from
[core/errors.py](../core/errors.py) and the code that raises errors; a test compares the two.
Messages of answers are in [messages.md](messages.md).
"""


def render(root: Path) -> str:
    """The whole page, of the source under `root`."""
    classes = {
        name: found
        for name, found in vars(errors).items()
        if isinstance(found, type) and issubclass(found, AskwireError)
    }
    texts = texts_of(root, classes)
    states: dict[str, list[type[AskwireError]]] = {}
    for found in classes.values():
        if found.remedy and "remedy" in vars(found):
            states.setdefault(_state(found), []).append(found)
    rows = (f"| [`{state}`](#{state.lower()}) | {_happened(kinds[0])} |\n" for state, kinds in states.items())
    sections = (_section(state, kinds, classes, texts) for state, kinds in states.items())
    ended = [line for text in texts[LOG_IN] for line in _lines(text)]
    return _INTRODUCTION + "".join(rows) + _MIDDLE + "".join(sections) + "\n".join([_ENDED, *ended, _OUTRO])


def _state(found: type[AskwireError]) -> str:
    return "others" if found is errors.DatabaseFailed else found.sqlstate


def _happened(found: type[AskwireError]) -> str:
    return (found.__doc__ or "").partition("\n")[0]


def _section(
    state: str,
    kinds: list[type[AskwireError]],
    classes: dict[str, type[AskwireError]],
    texts: dict[str, list[ErrorText]],
) -> str:
    lines = [f"\n## {state}\n"]
    for kind in kinds:
        lines += [f"{paragraph(_happened(kind))}\n", f"{paragraph(f'**What to do.** {kind.remedy}')}\n"]
    told = {
        text
        for name, found in classes.items()
        for text in texts[name]
        if any(issubclass(found, kind) for kind in kinds) and _state(found) == state
    }
    if state == "others":
        told = set(texts["DatabaseFailed"])
    lines += [line for text in sorted(told) for line in _lines(text)]
    return "\n".join(lines) + "\n"


def _lines(text: ErrorText) -> Iterator[str]:
    yield item(text.message)
    for label, part in (("DETAIL", text.detail), ("HINT", text.hint)):
        if part.strip():
            yield paragraph(f"{label}: {part}", first="  <br>", indent="  ")
