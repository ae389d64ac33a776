"""Settings from a file, the environment and the command line: who wins, and what a mistake says."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from askwire.core.errors import ConfigurationError
from askwire.core.settings.notices import NOTICES
from askwire.core.settings.table import BACKEND, EXPERTS, PROBE_MAX_ROWS, TIMEOUT
from askwire.proxy.config_file import read_experts, read_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder without a file of settings."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, text: str, name: str = "askwire.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_later_sources_win(elsewhere: Path) -> None:
    written(elsewhere, 'timeout = "1s"\nbackend = "host=file"\nprobe_max_rows = 7\n')
    environment = {"ASKWIRE_TIMEOUT": "2s", "ASKWIRE_BACKEND": "host=environment"}
    settings = read_settings(None, environment, {"timeout": "3s"})
    assert settings[TIMEOUT] == 3000
    assert settings[BACKEND] == "host=environment"
    assert settings[PROBE_MAX_ROWS] == 7
    assert settings[NOTICES] == "full"


def test_a_named_file_takes_the_place_of_the_one_that_lies_there(elsewhere: Path) -> None:
    written(elsewhere, 'timeout = "1s"\n')
    named = written(elsewhere, "notices = false\nprobe_max_cost = 1.5\n", "other.toml")
    settings = read_settings(named, {}, {})
    assert settings[NOTICES] == "off"
    assert settings[TIMEOUT] == 30_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timeout = ", "is not valid TOML: "),
        ('timeout = "soon"\n', "setting 'timeout' cannot be 'soon': .*, in .*askwire.toml"),
        ('timeuot = "1s"\n', "unknown setting 'timeuot' in .*askwire.toml"),
        ('[server]\ntimeout = "1s"\n', "unknown setting|neither text, number nor true or false"),
        ("timeout = [1]\n", "neither text, number nor true or false"),
    ],
)
def test_a_mistake_in_the_file_says_where_it_stands(elsewhere: Path, text: str, message: str) -> None:
    written(elsewhere, text)
    with pytest.raises(ConfigurationError, match=message):
        read_settings(None, {}, {})


def test_a_misspelt_name_is_recognised(elsewhere: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_settings(None, {}, {"timeuot": "1s"})
    assert caught.value.message == "unknown setting 'timeuot' in the command line"
    assert caught.value.hint == "Did you mean 'timeout'?"


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing.toml", "cannot read 'missing.toml': No such file"), (".", r"cannot read '\.'")],
)
def test_a_named_file_must_be_readable(name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_settings(Path(name), {}, {})


def test_a_file_that_is_no_text_is_said(elsewhere: Path) -> None:
    (elsewhere / "askwire.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="is not valid TOML"):
        read_settings(None, {}, {})


def test_the_environment_may_hold_other_variables_of_that_prefix(caplog: pytest.LogCaptureFixture) -> None:
    """Container platforms set ASKWIRE_PORT and the like for a service of that name."""
    environment = {
        "ASKWIRE_PORT": "tcp://10.0.0.1:6432",
        "ASKWIRE_PORT_6432_TCP": "tcp://10.0.0.1:6432",
        "ASKWIRE_SERVICE_HOST": "10.0.0.1",
        "ASKWIRE_VENV": "x",
        "ASKWIRE_COMMAND": "./ask",
        "ASKWIRE_TIMEOUT": "",
    }
    assert read_settings(None, environment, {})[TIMEOUT] == 30_000
    assert caplog.records == []


def test_a_misspelt_variable_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    read_settings(None, {"ASKWIRE_TIMEUOT": "1s"}, {})
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "ASKWIRE_TIMEUOT is not a setting; did you mean ASKWIRE_TIMEOUT?")
    ]


def test_a_value_of_the_environment_that_cannot_be_used_names_its_source() -> None:
    with pytest.raises(ConfigurationError, match=r"'maybe': .*, in the environment"):
        read_settings(None, {"ASKWIRE_NOTICES": "maybe"}, {})


EXPERTS_TOML = """
timeout = "1s"

[experts.local]
url = "http://127.0.0.1:11434/v1"
model = "qwen3:14b"
temperature = 0.5
"""


def test_experts_stand_in_sections_and_in_the_environment(elsewhere: Path) -> None:
    written(elsewhere, EXPERTS_TOML)
    environment = {
        "ASKWIRE_EXPERT_FAR_URL": "https://models.example.com/v1",
        "ASKWIRE_EXPERT_FAR_MODEL": "m",
        "ASKWIRE_EXPERT_LOCAL_SAMPLES": "3",
    }
    local, far = read_experts(None, environment)
    assert (local.name, local.temperature, local.samples) == ("local", 0.5, 3)
    assert far.name == "far"
    assert read_settings(None, environment, {})[TIMEOUT] == 1000
    assert read_settings(None, {}, {"experts": "local, embedded"})[EXPERTS] == frozenset(
        {"local", "embedded"}
    )
    (elsewhere / "askwire.toml").unlink()
    assert read_experts(None, {}) == ()


def test_a_mistake_in_an_expert_s_section_names_the_file(elsewhere: Path) -> None:
    written(elsewhere, EXPERTS_TOML.replace("temperature", "temprature"))
    with pytest.raises(ConfigurationError, match=r"unknown field 'temprature', in askwire\.toml"):
        read_experts(None, {})


def test_experts_as_a_plain_setting_are_no_sections(elsewhere: Path) -> None:
    written(elsewhere, 'experts = "embedded"\n')
    assert read_experts(None, {}) == ()
    assert read_settings(None, {}, {})[EXPERTS] == frozenset({"embedded"})
