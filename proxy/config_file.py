"""Settings from outside: a TOML file, the environment and the command line, in that order of precedence.

Owns: reading them, and saying which of them holds what cannot be used.

    # askwire.toml
    backend = "postgresql://db.example.com:5432"
    timeout = "20s"
    notices = "brief"

    [experts.local]
    url = "http://127.0.0.1:11434/v1"
    model = "qwen3:14b"
"""

from __future__ import annotations

import difflib
import logging
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import EXPERTS, TABLE, Settings, load
from askwire.llm.expert_table import VARIABLE as EXPERT_PREFIX
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.expert_table import read_experts as experts_of

log = logging.getLogger("askwire.config")

DEFAULT_FILE: Final = Path("askwire.toml")
"""The file that is read from the current folder when none is named."""

PREFIX: Final = "ASKWIRE_"


def chosen_file(named: Path | None) -> Path | None:
    """The file that a process reads: the one named, else `askwire.toml` in the current folder, if any.

    What runs for long keeps it, so that a file that goes away is a mistake and not a return to the defaults,
    which allow more than the file did.
    """
    return named or (DEFAULT_FILE if DEFAULT_FILE.exists() else None)


def read_settings(config: Path | None, environment: Mapping[str, str], given: Mapping[str, str]) -> Settings:
    """Defaults under the file under the environment under what the command line gave.

    `config` None means `askwire.toml` in the current folder if there is one. Raises ConfigurationError, which
    names the source, for a file that cannot be read or is no flat TOML, an unknown setting (in the
    environment: is ignored, and one that looks misspelt is logged), or a value that cannot be used.
    """
    sources: dict[str, Mapping[str, str]] = {}
    if path := chosen_file(config):
        sources[str(path)] = read_file(path)
    sources["the environment"] = read_environment(environment)
    sources["the command line"] = given
    checked = [_checked(source, values) for source, values in sources.items()]
    return load(*checked, called=tuple(sources))


def read_experts(config: Path | None, environment: Mapping[str, str]) -> tuple[ExpertConfig, ...]:
    """The experts of the file's `[experts.<name>]` and the environment; the same file as `read_settings`.

    Raises ConfigurationError, which names the source.
    """
    path = chosen_file(config)
    tables = _content(path).get(EXPERTS.name, {}) if path else {}
    return experts_of(tables if isinstance(tables, dict) else {}, environment, str(path or DEFAULT_FILE))


def read_file(path: Path) -> dict[str, str]:
    """The settings of a TOML file as text, whatever type they were written in; without its experts."""
    content = _content(path)
    if isinstance(content.get(EXPERTS.name), dict):
        del content[EXPERTS.name]
    return {name: _text(path, name, value) for name, value in content.items()}


def _content(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{str(path)!r} is not valid TOML: {error}") from None


def _text(path: Path, name: str, value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str | int | float):
        return str(value)
    raise ConfigurationError(
        f"setting {name!r} in {str(path)!r} is neither text, number nor true or false",
        hint="Settings stand at the top of the file; its only sections are [experts.<name>].",
    )


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings given as `ASKWIRE_<NAME>`.

    An empty variable gives nothing, as container files write it. Other variables with the prefix are left
    alone: container platforms make some up for a service of that name (`ASKWIRE_PORT_6432_TCP`).
    """
    return dict(_known(environment))


def _known(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable.startswith(EXPERT_PREFIX) or not value:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name in TABLE:
            yield name, value
        elif meant := _similar(name):
            log.warning("%s is not a setting; did you mean %s%s?", variable, PREFIX, meant.upper())


def _similar(name: str) -> str:
    return next(iter(difflib.get_close_matches(name, TABLE, n=1, cutoff=0.8)), "")


def _checked(source: str, values: Mapping[str, str]) -> Mapping[str, str]:
    for name in values:
        if name not in TABLE:
            meant = _similar(name)
            hint = f"Did you mean {meant!r}?" if meant else "docs/configuration.md lists every setting."
            raise ConfigurationError(f"unknown setting {name!r} in {source}", hint=hint)
    try:
        load(values)
    except ConfigurationError as error:
        raise ConfigurationError(f"{error.message}, in {source}", hint=error.hint) from None
    return values
