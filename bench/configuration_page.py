"""docs/configuration.md, written from the table of settings.

    python -m askwire.bench.configuration_page > docs/configuration.md

Owns: the page's words. Must not know: any single setting; all that is said of one comes from its row.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from askwire.core.notice_settings import parse_level, parse_wait
from askwire.core.setting_values import (
    parse_bool,
    parse_duration,
    parse_experts,
    parse_float,
    parse_int,
    parse_permissions,
    parse_share,
    parse_size,
    parse_text,
)
from askwire.core.settings import TABLE, Setting
from askwire.llm.expert_table import FIELDS, Field

_INTRODUCTION: Final = """\
# Configuration

Every setting has a default that works. Values come from four places, each winning over those before it:

1. the defaults below;
2. a TOML file: the one named by `serve --config`, else `askwire.toml` in the current folder if there is one;
3. the environment: `ASKWIRE_` and the name in capitals;
4. the command line of `serve` and `demo`: `--set name=value`, as often as needed. `serve --listen …` and
   `serve --dsn …` stand for `--set listen=…` and `--set backend=…`.

A file is flat; the only sections are those of [experts](#experts):

    # askwire.toml
    backend = "postgresql://db.example.com:5432?sslmode=verify-full"
    timeout = "20s"
    notices = "brief"

An unknown name in the file or on the command line, and a value that cannot be read anywhere, stops the
start with a message that says where it stands. In the environment, names that are no setting are left
alone; one that looks misspelt is logged.

**Scope.** A `server` setting belongs to the operator and holds for the process. A `session` setting may also
be given by whoever asks, through PostgreSQL's own custom parameters, for a session, a role or a database:

    SET askwire.timeout = '5s';
    ALTER ROLE analyst SET askwire.notices = off;

A session can only tighten limits, thresholds and permissions; how is said with each setting. How it is
answered is its own choice: `notices`, `progress`, and `on_ambiguity` unless the operator gives it. A name
that is none is an error where it is set, with the nearest one (SQLSTATE 42602), as it is under any prefix
that an extension has reserved; so are a value that cannot be read (22023) and a setting of the server
(55P02). In the options of a connection it is a WARNING. What was set past askwire, by ALTER ROLE say, fails
the ASK where its value cannot be read, and does nothing where there is no such name.

**Strictness.** Each setting declares which of two values is the looser one. The
[console](console.md#changing-settings) changes a setting only to a value that is at least as strict as the
configured one. The file, the environment and the command line are the operator's: they may loosen settings.

**Changes.** `serve` reads the file again on SIGHUP, and on `RELOAD` in the admin database. What changed holds
for sessions that begin after that, and at once for ASKs; a file that cannot be used changes nothing, and the
log says why. A few settings hold as the process was started with them: they say so. TLS certificates are read
again each time, experts are not.

**Values.** Durations are `500ms`, `30s`, `2min`, `1h` or a number of milliseconds, at most `24d`. Sizes
are `64kB`, `1MB`, `1GB` or a number of bytes. Switches are `on` or `off`, as PostgreSQL reads booleans. For
the limits of an ASK (`question_limit`, `timeout`, `candidates`, `probe_…`) 0 means no limit.

| setting | default | scope |
|---|---|---|
"""

_EXPERTS: Final = """
## Experts

Besides the embedded engine, any number of language models can be experts. Each has a section of the file, or
variables of the environment:

    [experts.local]
    url = "http://127.0.0.1:11434/v1"
    model = "qwen3:14b"

    ASKWIRE_EXPERT_LOCAL_URL=http://127.0.0.1:11434/v1
    ASKWIRE_EXPERT_LOCAL_MODEL=qwen3:14b

A variable wins over the file. Keys are named, never given: what holds one is `key_env` or `key_file`. A file
with such sections cannot hold the setting `experts` as well; the environment and the command line can.
[models.md](models.md) tells what models do, what they are told and what they cost.

| field | default | meaning |
|---|---|---|
"""

_OUTRO: Final = """
This page is written from the tables in [core/settings.py](../core/settings.py) and
[llm/expert_table.py](../llm/expert_table.py) by
[bench/configuration_page.py](../bench/configuration_page.py); a test compares the two.
"""

_TYPES: Final = {
    parse_text: "text",
    parse_bool: "on or off",
    parse_int: "a whole number",
    parse_float: "a number",
    parse_share: "a number from 0 to 1",
    parse_experts: "names",
    parse_duration: "a duration",
    parse_permissions: "octal digits",
    parse_size: "a size",
    parse_wait: "a duration, or off",
}


def render() -> str:
    """The whole page."""
    rows = (
        f"| [`{setting.name}`](#{setting.name}) | {_default(setting)} | {setting.scope} |\n"
        for setting in TABLE.values()
    )
    settings = "".join(map(_section, TABLE.values()))
    return _INTRODUCTION + "".join(rows) + settings + _EXPERTS + "".join(map(_field, FIELDS)) + _OUTRO


def _field(field: Field) -> str:
    default = "must be given" if field.default is None else f"`{field.default}`" if field.default else "empty"
    return f"| `{field.name}` | {default} | {field.help} |\n"


def _section(setting: Setting[Any]) -> str:
    name = setting.name
    ways = [f"`{name} = …`", f"`ASKWIRE_{name.upper()}=…`", f"`--set {name}=…`"]
    if setting.tighten:
        ways.append(f"`SET askwire.{name} = …` ({_tightening(setting)})")
    return (
        f"\n## `{name}`\n\n{setting.help}\n\n"
        f"- Default: {_default(setting)}, {_type(setting)}; scope: {setting.scope}{_reload(setting)}\n"
        f"- Set by: {', '.join(ways)}\n"
        f"- At the console: {_changing(setting)}\n"
    )


def _changing(setting: Setting[Any]) -> str:
    """How far the console may change a setting."""
    if not setting.live:
        return "no, a change needs a restart"
    if setting.strictness is None or setting.strictness.kind == "configuration":
        return "no, only the configuration changes it"
    if setting.strictness.kind == "neutral":
        return f"any value, since {setting.strictness.stricter}"
    return f"only stricter than configured ({setting.strictness.stricter})"


def _reload(setting: Setting[Any]) -> str:
    return "" if setting.live else "; a change needs a restart"


def _default(setting: Setting[Any]) -> str:
    return f"`{setting.default}`" if setting.default else "empty"


def _type(setting: Setting[Any]) -> str:
    """What values look like; a setting with its own words says them itself when it is given none of them."""
    if setting.parse in _TYPES:
        return _TYPES[setting.parse]
    try:
        setting.parse("")
    except ValueError as error:
        return str(error).removeprefix("expected ")
    return "text"


def _tightening(setting: Setting[Any]) -> str:
    """How a session's value combines with the operator's, found by trying it."""
    if setting.tighten is None:
        return ""
    if not setting.default_binds:
        return "as the asker likes, unless the operator gives it: then a session can only tighten it"
    if setting.parse is parse_experts or isinstance(setting.parse(setting.default), frozenset):
        return "a session can only leave some out"
    if setting.parse is parse_level:
        return "as the asker likes"
    if isinstance(setting.parse(setting.default), str):
        return "a session can only tighten it"
    low, high = (False, True) if setting.parse is parse_bool else (1, 2)
    lowers = setting.tighten(high, low) == low
    raises = setting.tighten(low, high) == high
    if lowers and raises:
        return "as the asker likes"
    if setting.parse is parse_bool:
        return "a session can only turn it off" if lowers else "a session can only turn it on"
    return "a session can only lower it" if lowers else "a session can only raise it"


if __name__ == "__main__":
    sys.stdout.write(render())
