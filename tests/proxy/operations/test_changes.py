"""Settings changed while the process runs: how far, for how long, and told in the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import pytest
from servers.running_console import StillServer

from askwire.core.errors import ConfigurationError
from askwire.core.settings.memory import HISTORY, HISTORY_ROWS
from askwire.core.settings.operations import ADMIN_ROLES
from askwire.core.settings.table import EGRESS, LOG_LEVEL, TABLE, TIMEOUT, Settings, load
from askwire.proxy.operations.changes import Changes, room


def changes(reread: dict[str, str] | None = None, **given: str) -> Changes:
    settings = load(given, called=("askwire.toml",))
    return Changes(StillServer(settings), None if reread is None else lambda: load(reread))


def test_a_limit_is_changed_and_changed_back() -> None:
    some = changes(timeout="20s")
    some.change("timeout", " 10s ", "ada")
    assert some.settings[TIMEOUT] == 10_000
    given = some.settings.given("timeout")
    assert given is not None
    assert given.source == "changed here until restart, by ada"
    some.take_back("timeout", "ada")
    assert some.settings[TIMEOUT] == 20_000
    assert some.made == {}


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("timeout", "soon", "cannot be 'soon'"),
        ("backend", "postgresql://elsewhere", "takes effect at a restart only"),
        ("admin_roles", "mallory", "in the configuration only"),
        ("allowed_functions", "public.f", "looser than the configured ''"),
        ("scan_limit", "1", "in the configuration only"),
        ("egress", "rows", "looser than the configured 'schema'"),
        ("history_rows", "on", "looser than the configured 'off'"),
        ("experts", "embedded,other", "looser than the configured 'embedded'"),
        ("timeuot", "1s", "setting 'timeuot' does not exist"),
    ],
)
def test_what_cannot_be_changed_is_refused(name: str, value: str, why: str) -> None:
    some = changes(experts="embedded")
    before = some.settings
    with pytest.raises(ConfigurationError, match=why):
        some.change(name, value, "ada")
    assert some.settings is before
    assert some.made == {}


def test_permissions_are_made_narrower_for_everybody() -> None:
    some = changes(egress="rows")
    some.change("egress", "none", "ada")
    some.change("history", "off", "ada")
    assert (some.settings[EGRESS], some.settings[HISTORY]) == ("none", False)
    assert some.settings.for_session({"egress": "rows"})[EGRESS] == "none"


def test_a_change_outlasts_the_configuration_being_read_again() -> None:
    some = changes(reread={"timeout": "10s", "answer_confidence": "0.7"}, timeout="20s")
    some.change("timeout", "5s", "ada")
    some.reload("ada")
    assert some.settings[TIMEOUT] == 5_000
    assert some.settings[TABLE["answer_confidence"]] == 0.7
    some.take_back("timeout", "ada")
    assert some.settings[TIMEOUT] == 10_000


def test_a_permission_that_the_configuration_took_since_is_not_given_back() -> None:
    some = changes(reread={"egress": "none"}, egress="rows")
    some.change("egress", "masked", "ada")
    some.reload("ada")
    assert some.settings[EGRESS] == "none"


def test_without_a_configuration_to_read_nothing_is_read() -> None:
    with pytest.raises(ConfigurationError, match="only at the start"):
        changes().reload("ada")


class RefusingServer(StillServer):
    def take(self, found: Settings) -> Sequence[str]:
        raise ConfigurationError("not these")


def test_what_the_server_cannot_use_changes_nothing() -> None:
    some = Changes(RefusingServer(load()))
    with pytest.raises(ConfigurationError, match="not these"):
        some.change("timeout", "5s", "ada")
    assert some.made == {}


@pytest.fixture
def quiet() -> Iterator[None]:
    """The log tells errors only."""
    ours = logging.getLogger("askwire")
    before = ours.level
    ours.setLevel(logging.ERROR)
    yield
    ours.setLevel(before)


@pytest.mark.usefixtures("quiet")
def test_each_change_is_told_whatever_the_log_tells(caplog: pytest.LogCaptureFixture) -> None:
    some = changes()
    some.change("log_level", "error", "(console) ada")
    some.take_back("log_level", "(console) ada")
    assert [record.getMessage() for record in caplog.records] == [
        "setting log_level changed from 'info' to 'error' by (console) ada",
        "setting log_level changed from 'error' back to 'info' by (console) ada",
    ]
    assert some.settings[LOG_LEVEL] == "info"


def test_who_may_come_in_is_the_configurations_alone() -> None:
    for setting in (ADMIN_ROLES, TABLE["operators"], TABLE["allow_trust"], TABLE["ssl_required"]):
        assert room(setting.name) == "configuration"
    assert room(HISTORY_ROWS.name) == "tighter"
    assert room("log_format") == "any"
    assert room("console_proxies") == "start"


def test_other_processes_hear_of_a_change_once() -> None:
    here, there = changes(timeout="20s"), changes(timeout="20s")
    told: list[object] = []
    here.watch(told.append)
    there.watch(lambda _: pytest.fail("what came from elsewhere is not told again"))
    here.change("timeout", "10s", "ada")
    there.change("timeout", "10s", "ada", tell=False)
    here.take_back("timeout", "ada")
    there.take_back("timeout", "ada", tell=False)
    with pytest.raises(ConfigurationError):
        here.change("timeout", "1h", "ada")
    assert told == [
        {"name": "timeout", "text": "10s", "author": "ada"},
        {"name": "timeout", "text": None, "author": "ada"},
    ]
    assert there.settings[TIMEOUT] == 20_000
