"""docs/configuration.md, written from the table of settings.

    PYTHONPATH=.typing:tests python -m reference

renews it, with the other generated pages. Owns: the page's words. All that it says of one setting comes from
the setting's row.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any, Final

from askwire.core.settings.notices import parse_level, parse_wait
from askwire.core.settings.parsing import (
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
from askwire.core.settings.table import TABLE, Setting
from askwire.llm.expert_table import FIELDS, Field

_LINE_WIDTH: Final = 100

_INTRODUCTION: Final = """\
# Configuration

Every setting has a default that works. Values come from four places; a later one wins:

1. the defaults below;
2. a TOML file: the one of `serve --config`, else `askwire.toml` in the current folder;
3. the environment: `ASKWIRE_` and the name in capitals;
4. the command line of `serve` and `demo`: `--set name=value`, repeated as needed.
   `serve --listen …` and `serve --dsn …` stand for `--set listen=…` and `--set backend=…`.

A file is flat; its only sections are those of [experts](#experts):

    # askwire.toml
    backend = "postgresql://db.example.com:5432?sslmode=verify-full"
    timeout = "20s"
    notices = "brief"

An unknown name in the file or on the command line, and an unreadable value anywhere, stop the start
with a message that names the place. Unknown names in the environment are ignored; one that looks
misspelt is logged.

**Scope.** A `server` setting belongs to the operator. A `session` setting can also be set by the
client, through PostgreSQL's custom parameters, for a session, a role or a database:

    SET askwire.timeout = '5s';
    ALTER ROLE analyst SET askwire.notices = off;

- A session can only tighten limits, thresholds and permissions; each setting says how. `notices`,
  `progress`, and `on_ambiguity` unless the operator gives it, are free.
- An unknown name is an error (42602) with the nearest one, an unreadable value 22023, a setting of
  the server 55P02. In the options of a connection they are WARNINGs.
- A value beyond the operator's is a WARNING (01000) with the value in force. `SHOW askwire.timeout`
  and `ask.settings` show it with its source. Server settings are shown to operators only, and
  possible secrets to no role (42501).
- A value that was set without askwire (by ALTER ROLE, say) and cannot be read fails the ASK.

**Strictness.** Each setting declares which of two values is looser. The
[console](console.md#changing-settings) changes a setting only to a value at least as strict as
configured. The file, the environment and the command line can loosen settings.

**Changes.** `serve` reads the file again on SIGHUP, and on `RELOAD` in the admin database. Changes
count at once for ASKs, and for new sessions. A file that cannot be used changes nothing, and the
log says why. Some settings need a restart; they say so. TLS certificates are read again each time,
experts are not.

**Values.** Durations are `500ms`, `30s`, `2min`, `1h` or milliseconds, at most `24d`. Sizes are
`64kB`, `1MB`, `1GB` or bytes. Switches are `on` or `off`, as PostgreSQL reads booleans. For the
limits of an ASK (`question_limit`, `timeout`, `candidates`, `probe_…`) 0 means no limit.

| setting | default | scope |
|---|---|---|
"""

_EXPERTS: Final = """
## Experts

Besides the embedded engine, language models can be experts. Each has a section of the file, or
variables of the environment:

    [experts.local]
    url = "http://127.0.0.1:11434/v1"
    model = "qwen3:14b"

    ASKWIRE_EXPERT_LOCAL_URL=http://127.0.0.1:11434/v1
    ASKWIRE_EXPERT_LOCAL_MODEL=qwen3:14b

A variable wins over the file. Keys are named, never given: `key_env` or `key_file` says what holds
one. A file with such sections cannot hold the setting `experts` as well; the environment and the
command line can. [models.md](models.md) explains them.

"""

_OUTRO: Final = """
Written by [bench/configuration_page.py](../bench/configuration_page.py) from
[core/settings/table.py](../core/settings/table.py) and
[llm/expert_table.py](../llm/expert_table.py); `PYTHONPATH=.typing:tests python -m reference` renews
it, and a test compares them.
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
    default = "required" if field.default is None else f"`{field.default}`"
    if field.default == "":
        default = "empty by default"
    return _item(f"`{field.name}`, {default}: {field.help}") + "\n"


def _section(setting: Setting[Any]) -> str:
    name = setting.name
    ways = [f"`{name} = …`", f"`ASKWIRE_{name.upper()}=…`", f"`--set {name}=…`"]
    if setting.tighten:
        ways.append(f"`SET askwire.{name} = …` ({_tightening(setting)})")
    lines = (
        f"Default: {_default(setting)}, {_type(setting)}; scope: {setting.scope}{_reload(setting)}",
        f"Set by: {', '.join(ways)}",
        f"At the console: {_changing(setting)}",
    )
    paragraphs = "\n\n".join(_wrapped(part) for part in setting.help.split("\n\n"))
    return f"\n## `{name}`\n\n{paragraphs}\n\n" + "".join(f"{_item(line)}\n" for line in lines)


def _item(text: str) -> str:
    return _wrapped(text, "- ", "  ")


def _wrapped(text: str, first: str = "", rest: str = "") -> str:
    """Text within the columns of a page; what is written as code stays on one line."""
    kept = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.fill(
        kept,
        _LINE_WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\0", " ")


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
        free = setting.strictness is not None and setting.strictness.kind == "neutral"
        return (
            "as the asker likes, as far as other settings let it" if free else "a session can only tighten it"
        )
    low, high = (False, True) if setting.parse is parse_bool else (1, 2)
    lowers = setting.tighten(high, low) == low
    raises = setting.tighten(low, high) == high
    if lowers and raises:
        return "as the asker likes"
    if setting.parse is parse_bool:
        return "a session can only turn it off" if lowers else "a session can only turn it on"
    return "a session can only lower it" if lowers else "a session can only raise it"
