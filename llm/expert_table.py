"""Experts as an operator writes them: `[experts.<name>]` in the file of settings, or the environment.

Owns: the table of fields (name, default, meaning), reading and checking them, and reading a key where it
lies. A key never stands in a value that is kept, shown or logged.

    [experts.local]
    url = "http://127.0.0.1:11434/v1"
    model = "qwen3:14b"

The one called `openai` finds its URL and key where OpenAI's own programs do, if it is given none: no one is
asked because these variables are there, only once a model is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from askwire.core.errors import ConfigurationError
from askwire.core.settings.models import AUTO, STRATEGIES
from askwire.core.settings.parsing import (
    one_of,
    parse_bool,
    parse_duration,
    parse_float,
    parse_int,
    parse_text,
)
from askwire.llm.profiles import names as profile_names

OPENAI: Final = "openai"
"""The name of the expert that takes what it is not given from `OPENAI_BASE_URL` and `OPENAI_API_KEY`."""
_OPENAI_KEY: Final = "the environment (OPENAI_API_KEY)"
_OPENAI_URL: Final = "https://api.openai.com/v1"
EMBEDDED: Final = "embedded"
"""The name of the engine without a model; no other expert may have it."""
STYLES: Final = (AUTO, *STRATEGIES)

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
VARIABLE: Final = "ASKWIRE_EXPERT_"
"""How the environment variables of experts begin."""
_KEY_NAMES: Final = frozenset({"key", "api_key", "apikey", "token", "secret", "password"})


def _url(value: str) -> str:
    try:
        parts = urlsplit(value.strip())
        port = parts.port
    except ValueError:
        raise ValueError("expected a URL, such as http://127.0.0.1:11434/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValueError("expected a URL, such as http://127.0.0.1:11434/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError("expected a URL without user, password, query or fragment")
    return value.strip().rstrip("/")


def _at_least_one(value: str) -> int:
    number = parse_int(value)
    if number < 1:
        raise ValueError("expected a number from 1 on")
    return number


def _temperature(value: str) -> float:
    number = parse_float(value)
    if number > 2:
        raise ValueError("expected a number from 0 to 2")
    return number


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the table: how a field is written, its default as text (None: it must be given)."""

    name: str
    default: str | None
    parse: Callable[[str], Any]
    help: str


FIELDS: Final[tuple[Field, ...]] = (
    Field(
        "url",
        None,
        _url,
        "Where the model is: the base URL of an API that speaks OpenAI's, up to and with `/v1` or its like.",
    ),
    Field("model", None, parse_text, "The model's name there."),
    Field(
        "embedding_model",
        "",
        parse_text,
        "The model at the same URL that makes embeddings, for `model_similarity = embedding`; its tokens are "
        "paid for as those of prompts. Empty: none.",
    ),
    Field(
        "api_version",
        "",
        parse_text,
        "For Azure's older API, its `api-version`: the URL is then that of a deployment, and the key goes "
        "into the header `api-key`. Empty: none, as at `/openai/v1`.",
    ),
    Field("key_env", "", parse_text, "The environment variable that holds the key."),
    Field("key_file", "", parse_text, "The file that holds the key, on its first line."),
    Field(
        "style",
        AUTO,
        one_of(*STYLES),
        "How it works: `auto` as the effort says; `pv-sql`, `apex`, `ssev` or `recap` as that paper does "
        "and no more. The setting `model_strategy` wins over it.",
    ),
    Field("temperature", "0", _temperature, "From 0 (always the likeliest answer) to 2."),
    Field(
        "samples",
        "1",
        _at_least_one,
        "How many times the SQL is asked for; more than one is of use above temperature 0.",
    ),
    Field("price_in", "0", parse_float, "Price of a million tokens of prompts, in any currency."),
    Field("price_out", "0", parse_float, "Price of a million tokens of answers."),
    Field("concurrency", "4", _at_least_one, "Calls that may be under way at once."),
    Field("rate_limit", "0", parse_int, "Calls per minute; those above wait. 0: no limit."),
    Field(
        "stream",
        "off",
        parse_bool,
        "Whether answers are asked for in pieces: one that is whole then counts though its connection breaks "
        "behind it, and nothing more is waited for.",
    ),
    Field("timeout", "20s", parse_duration, "How long one call may take."),
    Field("max_tokens", "2000", _at_least_one, "The longest answer, in tokens, reasoning not counted."),
    Field("context", "32000", _at_least_one, "How many tokens a prompt and its answer may have together."),
    Field(
        "egress",
        "rows",
        one_of("none", "schema", "masked", "rows"),
        "What may be sent to this expert, within the setting `egress`.",
    ),
    Field(
        "profile",
        "",
        one_of("", *profile_names()),
        "What is peculiar about the model: " + ", ".join(f"`{n}`" for n in profile_names()) + ". Empty: told "
        "by the model's name.",
    ),
)
"""Every field of an expert, in the order the documentation shows them."""

_BY_NAME: Final = {field.name: field for field in FIELDS}


@dataclass(frozen=True, slots=True)
class ExpertConfig:
    """One expert as configured; fields as in `FIELDS`, `timeout` in milliseconds."""

    name: str
    url: str
    model: str
    embedding_model: str = ""
    api_version: str = ""
    key_env: str = ""
    key_file: str = ""
    style: str = AUTO
    temperature: float = 0.0
    samples: int = 1
    price_in: float = 0.0
    price_out: float = 0.0
    concurrency: int = 4
    rate_limit: int = 0
    stream: bool = False
    timeout: int = 20_000
    max_tokens: int = 2000
    context: int = 32_000
    egress: str = "rows"
    profile: str = ""

    @property
    def endpoint(self) -> str:
        """Host and port, which hold no secret."""
        parts = urlsplit(self.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return f"{parts.hostname}:{port}"


def read_experts(
    tables: Mapping[str, object], environment: Mapping[str, str], source: str = "the file of settings"
) -> tuple[ExpertConfig, ...]:
    """The experts of a TOML file's `experts` table under those of `ASKWIRE_EXPERT_<NAME>_<FIELD>`.

    In the order they are written, those of the environment last. Raises ConfigurationError for a field that
    is unknown, missing or cannot be used; what looks like a key is never repeated in it.
    """
    given: dict[str, dict[str, tuple[str, str]]] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ConfigurationError(
                f'"experts.{name}" in {source} is not a table', hint=f"Begin it with [experts.{name}]."
            )
        given[_name(name, source)] = {k: (_text(name, k, v, source), source) for k, v in table.items()}
    for variable, value in environment.items():
        if variable.startswith(VARIABLE) and value:
            name, field = _split(variable)
            given.setdefault(name, {})[field] = (value, f"the environment ({variable})")
    if OPENAI in given:
        given[OPENAI] = _as_openai_s(environment) | given[OPENAI]
    return tuple(_expert(name, fields) for name, fields in given.items())


def _as_openai_s(environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """What the expert `openai` is unless it says otherwise."""
    url = environment.get("OPENAI_BASE_URL", "").strip()
    found = {"url": (url or _OPENAI_URL, "the environment (OPENAI_BASE_URL)")}
    if environment.get("OPENAI_API_KEY", "").strip():
        found["key_env"] = ("OPENAI_API_KEY", _OPENAI_KEY)
    return found


def _name(name: str, source: str) -> str:
    if not _NAME.fullmatch(name) or name == EMBEDDED:
        raise ConfigurationError(
            f"an expert cannot be called {name!r}, in {source}",
            hint="A name begins with a small letter and goes on with letters, digits, _ or -; "
            f'"{EMBEDDED}" is taken.',
        )
    return name


def _split(variable: str) -> tuple[str, str]:
    rest = variable.removeprefix(VARIABLE).lower()
    for field in sorted((*_BY_NAME, *_KEY_NAMES), key=len, reverse=True):
        if rest.endswith(f"_{field}"):
            return _name(rest.removesuffix(f"_{field}"), f"the environment ({variable})"), field
    raise ConfigurationError(
        f"{variable} does not end with a field of an expert", hint=f"Fields are {', '.join(_BY_NAME)}."
    )


def _text(expert: str, field: str, value: object, source: str) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if not isinstance(value, str | int | float):
        raise ConfigurationError(
            f"field {field!r} of expert {expert!r} in {source} is neither text nor a number"
        )
    return str(value)


def _expert(name: str, given: Mapping[str, tuple[str, str]]) -> ExpertConfig:
    values: dict[str, Any] = {}
    for field, (_, source) in given.items():
        if field in _KEY_NAMES:
            raise ConfigurationError(
                f"expert {name!r} has its key in {source}",
                hint="Name the variable or the file that holds it: key_env, key_file.",
            )
        if field not in _BY_NAME:
            raise ConfigurationError(
                f"expert {name!r} has an unknown field {field!r}, in {source}",
                hint=f"Fields are {', '.join(_BY_NAME)}.",
            )
    for row in FIELDS:
        text, source = given.get(row.name, (row.default or "", ""))
        if not text and row.default is None:
            raise ConfigurationError(
                f"expert {name!r} has no {row.name}", hint=f"Give it in [experts.{name}]."
            )
        try:
            values[row.name] = row.parse(text)
        except ValueError as error:
            # a URL can hold a password: it is not repeated
            shown = " be used" if row.name == "url" else f" be {text!r}"
            raise ConfigurationError(
                f"field {row.name!r} of expert {name!r} cannot{shown}: {error}, in {source}"
            ) from None
    if values["key_file"] and given.get("key_env", ("", ""))[1] == _OPENAI_KEY:
        values["key_env"] = ""
    if values["key_env"] and values["key_file"]:
        raise ConfigurationError(f"expert {name!r} has both key_env and key_file", hint="Give one of them.")
    return ExpertConfig(name=name, **values)


def read_key(expert: ExpertConfig, environment: Mapping[str, str]) -> str:
    """The key of an expert, '' where none is named; raises ConfigurationError when it is not there."""
    if expert.key_env:
        key = environment.get(expert.key_env, "").strip()
        if not key:
            raise ConfigurationError(
                f"expert {expert.name!r} has no key: the environment variable {expert.key_env} is not set"
            )
        return _sound(expert, key)
    if expert.key_file:
        try:
            text = Path(expert.key_file).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise ConfigurationError(
                f"expert {expert.name!r} has no key: cannot read {expert.key_file!r}: {reason}"
            ) from None
        key = text.partition("\n")[0].strip()
        if not key:
            raise ConfigurationError(f"expert {expert.name!r} has no key: {expert.key_file!r} is empty")
        return _sound(expert, key)
    return ""


def _sound(expert: ExpertConfig, key: str) -> str:
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError(
            f"the key of expert {expert.name!r} has characters that an HTTP header cannot hold",
            hint="A key is printable ASCII without spaces.",
        )
    return key


def configured(names: Iterable[str]) -> str:
    """Names of experts as a sentence lists them."""
    return ", ".join(sorted(names))
