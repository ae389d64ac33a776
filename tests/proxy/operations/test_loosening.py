"""No runtime door makes the configuration looser: every setting, by the values that could."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from doubles.case_tables import every
from servers.running_console import StillServer

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import TABLE, Setting, load
from askwire.proxy.operations.changes import Changes, room

LOOSER = [
    ("accept_least", "high", "low"),
    ("allowed_functions", "public.area", "public.area, public.f"),
    ("allowed_operators", "", "public.+"),
    ("allowed_types", "", "public.mood"),
    ("ambiguity_margin", "0.1", "0"),
    ("answer_confidence", "0.4", "0"),
    ("ask_calls", "40", "41"),
    ("ask_calls", "40", "0"),
    ("ask_cost", "1", "0"),
    ("ask_tokens", "100000", "0"),
    ("cancel_timeout", "10s", "0"),
    ("candidates", "12", "0"),
    ("candidates", "12", "13"),
    ("checks", "rules", "models"),
    ("client_idle_timeout", "1h", "0"),
    ("console_ask", "off", "on"),
    ("console_ask", "on", "open"),
    ("console_ask_idle", "15min", "0"),
    ("console_ask_idle", "15min", "1h"),
    ("connect_timeout", "10s", "1d"),
    ("day_calls", "100", "0"),
    ("day_cost", "1", "2"),
    ("day_tokens", "100", "0"),
    ("effort", "fast", "thorough"),
    ("egress", "schema", "rows"),
    ("egress", "none", "schema"),
    ("experts", "embedded", ""),
    ("experts", "embedded", "embedded, other"),
    ("final_max_cost", "1000", "0"),
    ("final_read_only", "on", "off"),
    ("foreign_tables", "off", "on"),
    ("history", "off", "on"),
    ("history_rows", "off", "on"),
    ("judge", "", "other"),
    ("judge", "mine", "other"),
    ("judge_by", "hand", "python"),
    ("judge_margin", "0.1", "0"),
    ("knowledge_holds", "rows", "schema"),
    ("log_level", "info", "debug"),
    ("login_timeout", "60s", "0"),
    ("max_clients", "1000", "0"),
    ("max_error", "0.05", "1"),
    ("model_cells", "3", "1000000"),
    ("model_cells", "auto", "1"),
    ("model_cells", "0", "auto"),
    ("model_critiques", "1", "9"),
    ("model_demonstrations", "0", "9"),
    ("model_evidence", "off", "on"),
    ("model_guidance", "off", "on"),
    ("model_knowledge", "off", "on"),
    ("model_linking", "off", "always"),
    ("model_paths", "off", "on"),
    ("model_plan", "off", "logical"),
    ("model_probes", "5", "500"),
    ("model_probing", "off", "apex"),
    ("model_profiling", "off", "on"),
    ("model_refinements", "0", "9"),
    ("model_reviews", "off", "both"),
    ("model_roles", "off", "on"),
    ("model_schema_steps", "auto", "30"),
    ("model_second", "off", "voted"),
    ("model_similarity", "lexical", "embedding"),
    ("model_syntax", "off", "on"),
    ("model_synthesis", "off", "once"),
    ("on_ambiguity", "error", "best"),
    ("pins", "off", "on"),
    ("probe_lock_timeout", "100ms", "0"),
    ("probe_max_bytes", "4MB", "1GB"),
    ("probe_max_cost", "1000000", "0"),
    ("probe_max_lag", "10s", "1min"),
    ("probe_max_rows", "1000", "0"),
    ("probe_timeout", "1s", "1min"),
    ("question_limit", "4kB", "0"),
    ("repairs", "5", "50"),
    ("restart_timeout", "1h", "0"),
    ("review", "", "answer"),
    ("selections", "wma", "wma, dpc"),
    ("selections", "wma", ""),
    ("shutdown_timeout", "8s", "1d"),
    ("system_catalogs", "off", "on"),
    ("tcp_keepalives_idle", "60s", "0"),
    ("tell_unreadable", "off", "on"),
    ("timeout", "30s", "0"),
    ("timeout", "30s", "31s"),
    ("value_memory", "4MB", "1GB"),
    ("workload", "off", "on"),
    ("workload_literals", "off", "on"),
    ("workload_statements", "off", "on"),
]
"""(setting, configured, looser), written down apart from the table's own declarations."""


def changes(**given: str) -> Changes:
    return Changes(StillServer(load(given, called=("askwire.toml",))))


@pytest.mark.parametrize(("name", "configured", "looser"), LOOSER)
def test_a_looser_value_is_refused(name: str, configured: str, looser: str) -> None:
    some = changes(**{name: configured})
    before = some.settings
    with pytest.raises(ConfigurationError, match=name):
        some.change(name, looser, "mallory")
    assert some.settings is before
    assert some.made == {}


LIVE = {name: setting for name, setting in TABLE.items() if setting.live}
CHANGEABLE = {name: setting for name, setting in LIVE.items() if room(name) in ("any", "tighter")}
_WORTH_TRYING = (
    *("", "0", "1", "2", "0.05", "0.5", "12", "41", "1000000", "250ms", "1s", "2min", "20d", "64kB", "2GB"),
    *("on", "off", "auto", "none", "embedded", "embedded,other", "public.f", "public.f,public.g", "tlsv1.3"),
)


def candidates(setting: Setting[Any]) -> list[str]:
    """Values that the setting takes: its default, bounds, and each of its words."""
    words: list[str] = []
    try:
        setting.parse("\0")
    except ValueError as error:
        words = re.findall(r"[a-z]+(?:-[a-z]+)*", str(error).partition("expected")[2])
    found: dict[Any, str] = {}
    for text in (setting.default, *words, *_WORTH_TRYING):
        with suppress(ValueError):
            found.setdefault(setting.parse(text), text)
    return list(found.values())[:12]


@every("setting", LIVE)
def test_every_setting_that_may_change_declares_what_is_looser(setting: Setting[Any]) -> None:
    strictness = setting.strictness
    assert strictness is not None, "declare `strictness` in its row (core.settings.strictness)"
    assert strictness.stricter
    values = [setting.parse(text) for text in candidates(setting)]
    assert len(values) > 1, "a candidate of this test should fit the setting"
    for one, other, third in product(values, repeat=3):
        assert strictness.holds(one, one)
        if strictness.holds(one, other) and strictness.holds(other, third):
            assert strictness.holds(one, third), "an order is transitive"
        if strictness.kind == "ordered" and one != other:
            assert not (strictness.holds(one, other) and strictness.holds(other, one))


def test_every_order_has_a_loosening_written_down_here() -> None:
    ordered = {setting.name for setting in CHANGEABLE.values() if room(setting.name) == "tighter"}
    assert ordered == {name for name, _, _ in LOOSER}


@pytest.mark.slow
@every("setting", CHANGEABLE)
def test_what_holds_is_never_looser_than_what_is_configured(setting: Setting[Any]) -> None:
    assert setting.strictness is not None
    holds = setting.strictness.holds
    texts = candidates(setting)
    loaded = {text: load({setting.name: text}) for text in texts}
    for configured, asked, configured_later in product(texts, repeat=3):
        now = [configured]
        some = Changes(StillServer(loaded[configured]), lambda now=now: loaded[now[0]])  # type: ignore[misc]
        allowed = holds(setting.parse(configured), setting.parse(asked))
        if allowed:
            some.change(setting.name, asked, "ada")
        else:
            with pytest.raises(ConfigurationError):
                some.change(setting.name, asked, "ada")
        assert some.settings[setting] == setting.parse(asked if allowed else configured)
        now[0] = configured_later
        some.reload("ada")
        assert holds(setting.parse(configured_later), some.settings[setting])


@every("setting", {name: setting for name, setting in TABLE.items() if setting.tighten})
def test_no_session_is_looser_than_what_is_configured(setting: Setting[Any]) -> None:
    assert setting.strictness is not None
    for configured, asked in product(candidates(setting), repeat=2):
        settings = load({setting.name: configured})
        held = settings.for_session({setting.name: asked})[setting]
        assert setting.strictness.holds(settings[setting], held), (configured, asked)


@pytest.mark.parametrize("setting", LIVE.values(), ids=LIVE)
def test_what_is_not_declared_is_changed_in_the_configuration_only(
    setting: Setting[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = Setting(setting.name, setting.default, setting.parse, setting.help, setting.tighten)
    monkeypatch.setitem(TABLE, setting.name, bare)  # type: ignore[arg-type]
    assert room(setting.name) == "configuration"
    with pytest.raises(ConfigurationError, match="in the configuration only"):
        changes().change(setting.name, setting.default, "ada")


def test_a_refusal_says_what_holds_what_may_be_and_what_to_do() -> None:
    with pytest.raises(ConfigurationError) as refused:
        changes(judge_by="hand").change("judge_by", "python", "ada")
    assert refused.value.message == (
        "setting 'judge_by' cannot become 'python' here: that is looser than the configured 'hand'"
    )
    assert refused.value.hint == (
        "Here settings only become stricter (strictest first: hand, python). To loosen this one, change the "
        "configuration (it stands in askwire.toml) and start askwire again."
    )


def test_a_configuration_that_cannot_be_used_is_no_measure() -> None:
    class RefusingServer(StillServer):
        def take(self, found: Any) -> Any:
            if found[TABLE["timeout"]] == 60_000:
                raise ConfigurationError("the certificate cannot be read")
            return super().take(found)

    some = Changes(RefusingServer(load({"timeout": "30s"})), lambda: load({"timeout": "60s"}))
    with pytest.raises(ConfigurationError, match="certificate"):
        some.reload("ada")
    with pytest.raises(ConfigurationError, match="looser than the configured '30s'"):
        some.change("timeout", "50s", "ada")
    some.change("timeout", "20s", "ada")
    assert some.settings[TABLE["timeout"]] == 20_000


def test_a_value_too_long_to_be_one_is_refused_whole() -> None:
    names = ",".join(f"public.f{n}" for n in range(200))
    with pytest.raises(ConfigurationError, match="at most 1000 characters"):
        changes(allowed_functions=names).change("allowed_functions", names, "ada")
