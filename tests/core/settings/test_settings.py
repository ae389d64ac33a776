"""The settings table: parsing, sources, and that a session can only tighten."""

from __future__ import annotations

import math

import pytest
from doubles.case_tables import every

from askwire.core.errors import ConfigurationError
from askwire.core.settings import parsing, table
from askwire.core.settings.notices import NOTICES, PROGRESS
from askwire.core.settings.table import TABLE, load


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parsing.parse_duration, "30s", 30_000),
        (parsing.parse_duration, "500 ms", 500),
        (parsing.parse_duration, "250", 250),
        (parsing.parse_duration, "1.5min", 90_000),
        (parsing.parse_duration, "1d", 86_400_000),
        (parsing.parse_size, "64kB", 65_536),
        (parsing.parse_size, "1MB", 1_048_576),
        (parsing.parse_size, "0", 0),
        (parsing.parse_bool, " On ", True),
        (parsing.parse_bool, "0", False),
        (parsing.parse_int, "12", 12),
        (parsing.parse_permissions, "0770", 0o770),
        (parsing.parse_permissions, " 700 ", 0o700),
        (parsing.parse_float, "0.5", 0.5),
        (parsing.parse_share, "1", 1.0),
        (parsing.parse_duration, "2147483647", 2_147_483_647),
        (parsing.parse_names, " public.f , geo.g ", frozenset({"public.f", "geo.g"})),
        (parsing.parse_names, "", frozenset()),
        (parsing.some_of("a", "b"), " B ,a,", frozenset({"a", "b"})),
        (parsing.some_of("a", "b"), "", frozenset()),
        (parsing.some_of("a", "b"), "none", frozenset()),
    ],
)
def test_values_are_read_as_postgresql_users_write_them(parse, text, value):  # type: ignore[no-untyped-def]
    assert parse(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("timeout", "soon"),
        ("timeout", "3 weeks"),
        ("timeout", "-1s"),
        ("timeout", "nan"),
        ("timeout", "inf"),
        ("timeout", "1e999s"),
        ("probe_max_rows", "-1"),
        ("probe_max_rows", "many"),
        ("probe_max_bytes", "1KB"),
        ("probe_max_cost", "inf"),
        ("notices", "perhaps"),
        ("progress", "sometimes"),
        ("log_level", "verbose"),
        ("allowed_functions", "area"),
        ("allowed_functions", "public."),
        ("review", "critique, praise"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_its_setting(name: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=f"setting '{name}' cannot be"):
        load({name: text})


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("timeout", "soon", "expected a duration, such as 30s or 500ms"),
        ("timeout", "", "expected a duration, such as 30s or 500ms"),
        ("timeout", "3 weeks", "unknown unit 'weeks', expected one of ms, s, min, h, d"),
        ("probe_timeout", "25d", "expected at most 24d"),
        ("probe_lock_timeout", "2147483648", "expected at most 24d"),
        ("scan_limit", "much", "expected a size, such as 64kB or 1MB"),
        ("max_clients", "many", "expected a whole number"),
        ("unix_socket_permissions", "0778", "expected permissions in octal digits, such as 0777 or 0770"),
        ("unix_socket_permissions", "01777", "expected permissions in octal digits, such as 0777 or 0770"),
        ("unix_socket_permissions", "", "expected permissions in octal digits, such as 0777 or 0770"),
        ("probe_max_cost", "high", "expected a number"),
        ("answer_confidence", "50%", "expected a number from 0 to 1"),
        ("answer_confidence", "1.5", "expected a number from 0 to 1"),
        ("ambiguity_margin", "10", "expected a number from 0 to 1"),
    ],
)
def test_an_error_says_what_is_expected(name: str, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        load({name: text})
    assert error.value.message == f"setting {name!r} cannot be {text!r}: {said}"


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="unknown setting 'speed'"):
        load({"speed": "fast"})


def test_later_sources_win() -> None:
    assert load({"timeout": "1s"}, {"timeout": "2s"}, {})[table.TIMEOUT] == 2000


@every("name", {name: name for name, setting in TABLE.items() if setting.scope == "server"})
def test_a_session_cannot_touch_settings_of_the_server(name: str) -> None:
    configured = load()
    asked = {"backend": "host=evil", "listen": "0.0.0.0:1", "allowed_functions": "public.f"}.get(name, "1")
    if name == "log_level":
        asked = "debug"
    assert configured.for_session({name: asked})[TABLE[name]] == configured[TABLE[name]]


@pytest.mark.parametrize(
    ("name", "configured", "asked", "in_force"),
    [
        ("timeout", "30s", "5s", 5000),
        ("timeout", "30s", "1h", 30_000),
        ("timeout", "0", "5s", 5000),
        ("timeout", "30s", "0", 30_000),
        ("probe_max_rows", "1000", "10", 10),
        ("probe_max_rows", "1000", "5000", 1000),
        ("probe_max_cost", "100", "1e9", 100.0),
        ("final_read_only", "on", "off", True),
        ("final_read_only", "off", "on", True),
        ("answer_confidence", "0.5", "0.9", 0.9),
        ("answer_confidence", "0.5", "0", 0.5),
        ("ambiguity_margin", "0.1", "0", 0.1),
        ("ambiguity_margin", "0.1", "0.3", 0.3),
        ("on_ambiguity", "error", "best", "error"),
        ("on_ambiguity", "best", "error", "error"),
        ("on_ambiguity", "best", "best", "best"),
    ],
)
def test_a_session_tightens_and_never_widens(
    name: str, configured: str, asked: str, in_force: object
) -> None:
    assert load({name: configured}).for_session({name: asked})[TABLE[name]] == in_force


def test_how_an_asker_is_answered_is_the_asker_s_choice() -> None:
    assert load({"notices": "off"}).for_session({"notices": "on"})[NOTICES] == "full"
    assert load().for_session({"notices": "brief", "progress": "off"})[PROGRESS] == 0
    lenient = load().for_session({"on_ambiguity": "best"})
    assert lenient[table.ON_AMBIGUITY] == "best"
    assert load({"on_ambiguity": "error"}).for_session({}).for_session({"on_ambiguity": "best"})[
        table.ON_AMBIGUITY
    ] == ("error")


def test_the_operator_s_own_settings_stay_as_they_are() -> None:
    configured = load()
    configured.for_session({"timeout": "1s"})
    assert configured[table.TIMEOUT] == 30_000


@every("setting", TABLE)
def test_every_setting_has_a_default_that_reads_and_a_help_that_is_prose(setting) -> None:  # type: ignore[no-untyped-def]
    value = setting.parse(setting.default)
    assert not (isinstance(value, float) and math.isnan(value))
    assert setting.help[0].isupper()
    assert setting.help.rstrip().endswith(".")
