"""Tokens, logins and links: who is let in, for how long, and what cannot be guessed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

pytest.importorskip("aiohttp")

from askwire.core.errors import ConfigurationError
from askwire.core.records import CONSOLE
from askwire.proxy.console.access import LINK_SECONDS, LOGIN_SECONDS, Access, genuine, read_token


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(clock: Clock) -> Access:
    return Access("the token of this test", clock)


def test_only_the_token_lets_in(access: Access) -> None:
    assert access.knows("the token of this test")
    assert not access.knows("")
    assert not access.knows("the token of this tesT")
    assert not access.knows("\ud800")


def test_a_login_ends_after_it_was_not_used_for_a_while(access: Access, clock: Clock) -> None:
    cookie = access.begin()
    clock.now += LOGIN_SECONDS - 1
    assert access.visitor(cookie) is not None
    clock.now += LOGIN_SECONDS - 1
    assert access.visitor(cookie) is not None, "using it renews it"
    clock.now += LOGIN_SECONDS
    assert access.visitor(cookie) is None


def test_logging_out_ends_one_login_only(access: Access) -> None:
    one, other = access.begin(), access.begin()
    access.end(one)
    assert access.visitor(one) is None
    assert access.visitor(other) is not None
    assert access.visitor("") is None


def test_logins_are_bounded(access: Access) -> None:
    cookies = [access.begin() for _ in range(101)]
    assert access.visitor(cookies[0]) is None
    assert access.visitor(cookies[1]) is not None


def test_the_link_of_the_start_works_once(access: Access) -> None:
    assert not access.follow("")
    assert access.follow(access.link)
    assert not access.follow(access.link)


def test_the_link_of_the_start_does_not_work_for_long(access: Access, clock: Clock) -> None:
    clock.now += LINK_SECONDS
    assert not access.follow(access.link)


def test_a_form_is_of_one_visitor(access: Access) -> None:
    one, other = access.visitor(access.begin()), access.visitor(access.begin())
    assert one is not None
    assert other is not None
    assert genuine(one, one.form_key)
    assert not genuine(one, other.form_key)
    assert not genuine(one, "")
    bearer = access.bearer("the token of this test")
    assert bearer is not None
    assert not genuine(bearer, bearer.form_key), "who sends the token has no forms"


def test_a_name_from_a_proxy_is_cleaned(access: Access) -> None:
    assert access.named("") is None
    assert access.named("\n\t") is None
    ada = access.named("ada\x00 lovelace" + "x" * 100)
    assert ada is not None
    assert ada.name.startswith("ada lovelace")
    assert len(ada.name) <= 63
    assert ada.author.startswith(f"{CONSOLE} ada")


def test_a_token_file_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = read_token(str(path))
    assert len(token) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_token(str(path)) == token


def test_a_token_file_that_cannot_be_used_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "token"
    path.write_text("short\n")
    with pytest.raises(ConfigurationError, match="too short"):
        read_token(str(path))
    with pytest.raises(ConfigurationError, match="cannot use the token file"):
        read_token(str(tmp_path / "missing" / "token"))
    path.write_bytes(b"\xff\xfe" * 20)
    with pytest.raises(ConfigurationError, match="it is not UTF-8 text"):
        read_token(str(path))
    path.write_text("long enough a token\nand a second line\n")
    path.chmod(0o644)
    assert read_token(str(path)) == "long enough a token"
    assert "all users of this machine can read" in caplog.text
    assert "long enough" not in caplog.text


def test_every_start_has_a_token_of_its_own() -> None:
    assert read_token("") != read_token("")
