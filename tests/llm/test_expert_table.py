"""Experts as operators write them: what is read, what a mistake says, and that no key is ever repeated."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from askwire.core.errors import ConfigurationError
from askwire.llm.expert_table import FIELDS, ExpertConfig, read_experts, read_key
from askwire.llm.profiles import profile_of, profiles

LOCAL = {"url": "http://127.0.0.1:11434/v1/", "model": "qwen3:14b"}
SECRET = "sk-0123456789abcdef"


def one(**given: object) -> ExpertConfig:
    (expert,) = read_experts({"local": {**LOCAL, **given}}, {})
    return expert


def test_two_fields_are_enough() -> None:
    expert = one()
    assert expert == ExpertConfig("local", "http://127.0.0.1:11434/v1", "qwen3:14b")
    assert expert.endpoint == "127.0.0.1:11434"


def test_the_table_of_fields_and_the_value_have_the_same_names_and_defaults() -> None:
    fields = {f.name: f.default for f in dataclasses.fields(ExpertConfig)}
    for field in FIELDS:
        if field.default is not None:
            assert field.parse(field.default) == fields[field.name], field.name
    assert {"name", *(f.name for f in FIELDS)} == set(fields)


def test_the_environment_wins_over_the_file_and_adds_experts() -> None:
    environment = {
        "ASKWIRE_EXPERT_LOCAL_MODEL": "other",
        "ASKWIRE_EXPERT_FAR_AWAY_URL": "https://models.example.com/v1",
        "ASKWIRE_EXPERT_FAR_AWAY_MODEL": "m",
        "ASKWIRE_EXPERT_FAR_AWAY_RATE_LIMIT": "60",
        "ASKWIRE_EXPERT_FAR_AWAY_KEY_ENV": "FAR_KEY",
        "ASKWIRE_EXPERT_FAR_AWAY_STYLE": "",
    }
    local, far = read_experts({"local": dict(LOCAL)}, environment)
    assert local.model == "other"
    assert (far.name, far.rate_limit, far.key_env) == ("far_away", 60, "FAR_KEY")
    assert far.endpoint == "models.example.com:443"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"url": ""}, "expert 'local' has no url"),
        ({"model": ""}, "expert 'local' has no model"),
        ({"url": "127.0.0.1:11434"}, "field 'url' of expert 'local' cannot be used: expected a URL"),
        ({"url": f"https://me:{SECRET}@host/v1"}, "without user, password, query or fragment"),
        ({"url": f"https://host/v1?key={SECRET}"}, "without user, password, query or fragment"),
        ({"url": "http://host:99999/v1"}, "expected a URL"),
        ({"key": SECRET}, "expert 'local' has its key in askwire.toml"),
        ({"api_key": SECRET}, "expert 'local' has its key in askwire.toml"),
        ({"key_env": "A", "key_file": "b"}, "has both key_env and key_file"),
        ({"modle": "x"}, "unknown field 'modle'"),
        ({"samples": 0}, "field 'samples' of expert 'local' cannot be '0': expected a number from 1 on"),
        ({"temperature": 3}, "expected a number from 0 to 2"),
        ({"style": "poem"}, "expected one of auto, pv-sql, apex"),
        ({"egress": "all"}, "expected one of none, schema, masked, rows"),
        ({"timeout": "soon"}, "expected a duration"),
        ({"profile": "x"}, "expected one of "),
        ({"concurrency": [1]}, "is neither text nor a number"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_mistake_says_where_it_stands_and_repeats_no_secret(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_experts({"local": {**LOCAL, **given}}, {}, "askwire.toml")
    said = f"{caught.value.message} {caught.value.hint}"
    assert message in said
    assert SECRET not in said


@pytest.mark.parametrize("name", ["embedded", "Local", "9", "a b", "ä", ""])
def test_some_names_are_no_experts(name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be called"):
        read_experts({name: dict(LOCAL)}, {})


def test_a_variable_that_gives_a_key_or_nothing_known_is_told() -> None:
    with pytest.raises(ConfigurationError, match="has its key in the environment") as caught:
        read_experts({}, {"ASKWIRE_EXPERT_LOCAL_API_KEY": SECRET})
    assert SECRET not in str(caught.value)
    with pytest.raises(ConfigurationError, match="does not end with a field of an expert"):
        read_experts({}, {"ASKWIRE_EXPERT_LOCAL_COLOUR": "red"})


def test_a_key_is_read_where_it_lies(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{SECRET}\nanything else\n")
    assert read_key(one(key_file=str(file)), {}) == SECRET
    assert read_key(one(key_env="MODEL_KEY"), {"MODEL_KEY": f" {SECRET}\n"}) == SECRET
    assert read_key(one(), {"OPENAI_API_KEY": SECRET}) == ""


@pytest.mark.parametrize("content", ["", "\nsecond line", "tw\x7fo", "two words", "schlüssel"])
def test_a_key_that_cannot_be_one_is_told_without_it(tmp_path: Path, content: str) -> None:
    file = tmp_path / "key"
    file.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        read_key(one(key_file=str(file)), {})
    assert content.strip() == "" or content.strip() not in caught.value.message


def test_a_key_that_is_not_there_is_told() -> None:
    with pytest.raises(ConfigurationError, match="the environment variable MODEL_KEY is not set"):
        read_key(one(key_env="MODEL_KEY"), {})
    with pytest.raises(ConfigurationError, match="cannot read '/nowhere/key': No such file"):
        read_key(one(key_file="/nowhere/key"), {})


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("gpt-4.1-mini", "standard"),
        ("openai/gpt-5-mini", "reasoning"),
        ("o3", "reasoning"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "thinking"),
        ("qwen3:14b", "qwen3"),
        ("gpt-oss:20b", "gpt-oss"),
        ("google/gemma-3-4b-it", "plain"),
        ("anything", "standard"),
    ],
)
def test_a_model_s_profile_is_told_by_its_name(model: str, profile: str) -> None:
    assert profile_of(model).name == profile


def test_every_profile_can_be_used() -> None:
    for profile in profiles():
        assert profile.limit in ("max_tokens", "max_completion_tokens")
        assert profile.structured in ("json_schema", "json_object", "text")
        assert profile_of("anything", profile.name) is profile
    assert profiles()[-1].match == ("*",)


def test_the_expert_called_openai_finds_its_url_and_key_where_openai_s_programs_do() -> None:
    there = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert read_experts({}, there) == (), "a key that is there is no word of an operator's"
    named = {"ASKWIRE_EXPERT_OPENAI_MODEL": "gpt-4.1-mini"}
    (one,) = read_experts({}, {**there, **named})
    assert (one.name, one.url, one.model, one.key_env) == (
        "openai",
        "http://127.0.0.1:9/v1",
        "gpt-4.1-mini",
        "OPENAI_API_KEY",
    )
    (one,) = read_experts({"openai": {"model": "m"}}, {"OPENAI_API_KEY": "sk-x"})
    assert one.url == "https://api.openai.com/v1"
    own = {"url": "http://127.0.0.1:1/v1", "model": "m", "key_file": "/run/key"}
    (one,) = read_experts({"openai": own}, there)
    assert (one.url, one.key_env, one.key_file) == ("http://127.0.0.1:1/v1", "", "/run/key")
    (other,) = read_experts({"hosted": {"url": "http://127.0.0.1:1/v1", "model": "m"}}, there)
    assert other.key_env == ""
