"""docs/statements.md, written from the forms, options and relations that the proxy reads.

Owns: the page's words. Forms and options are those of ASK HELP and of the parser.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.table import TABLE
from askwire.proxy.memory.examples import FORMS
from askwire.proxy.memory.relations import RELATIONS
from askwire.sql.ask.options import OPTION_HELP
from reference.wrapping import item, paragraph

_INTRODUCTION: Final = """\
# Statements

What askwire adds to PostgreSQL's SQL. `ASK HELP` returns the same forms, the settings in force, and
questions about your own database; [asking.md](asking.md) explains them.

## Forms

| form | what it does |
|---|---|
"""

_OPTIONS: Final = """
ASK can be written wherever PostgreSQL accepts a query: `(ASK '…')` as a subquery, in WITH, EXPLAIN,
COPY, DECLARE, PREPARE, CREATE VIEW, CREATE TABLE AS and INSERT, and `ASK $1` with the question as a
parameter. `ask('…', 'options')` takes the same options as text.

## Options

Options are written as in EXPLAIN: `ASK (FRESH, TIMEOUT '10s') 'question'`.

| option | meaning |
|---|---|
"""

_RELATIONS: Final = """
## Relations

askwire's own state, in FROM as any table. Each role sees its own rows; operators see all.

"""

_SETTINGS: Final = """
## Session settings

`SET askwire.name = value`, `SHOW askwire.name` and `RESET askwire.name`. The meaning of each is in
[configuration.md](configuration.md).

"""

_OUTRO: Final = """
Written by `PYTHONPATH=.typing:tests python -m reference` from
[proxy/memory/examples.py](../proxy/memory/examples.py), [sql/ask/options.py](../sql/ask/options.py),
[proxy/memory/relations.py](../proxy/memory/relations.py) and
[core/settings/table.py](../core/settings/table.py); a test compares them.
"""


def render() -> str:
    """The whole page."""
    forms = "".join(f"| `{form}` | {meaning} |\n" for form, meaning in FORMS)
    options = "".join(f"| `{form}` | {meaning} |\n" for form, meaning in OPTION_HELP.values())
    relations = "\n".join(
        item(f"`ask.{name}`: " + ", ".join(f"`{column.name}`" for column in relation.columns))
        for name, relation in RELATIONS.items()
    )
    names = [f"[`{name}`](configuration.md#{name})" for name, s in TABLE.items() if s.tighten]
    settings = paragraph(", ".join(names) + ".")
    return (
        _INTRODUCTION
        + forms
        + _OPTIONS
        + options
        + _RELATIONS
        + relations
        + "\n"
        + _SETTINGS
        + settings
        + "\n"
        + _OUTRO
    )
