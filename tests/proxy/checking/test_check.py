"""The command `check`: what it finds on a real server, and its exit status."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from servers import openssl_files
from servers.databases import Database

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import load
from askwire.proxy.checking import run
from askwire.proxy.checking.greeting import Greeting
from askwire.proxy.cli import main
from askwire.proxy.connection.tls_records import BackendTls, ServerTls
from askwire.proxy.demo.postgres_binaries import find_binaries
from askwire.selector.sandbox.running import available

Told = Callable[[], tuple[list[str], list[str]]]


@pytest.fixture
def check(database: Database, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run it as somebody; its status and what it printed."""

    def checked(user: str = "postgres", *more: str, password: str = "") -> tuple[int, str]:
        dsn = f"host=127.0.0.1 port={database.port} dbname={database.name} user={user} password='{password}'"
        status = main(["check", "--dsn", dsn, *more])
        return status, capsys.readouterr().out

    return checked


@pytest.mark.parametrize(
    ("user", "password", "method"),
    [
        ("postgres", "", "no password asked (trust, peer or a certificate)"),
        ("by_scram", "secret of by_scram", "SCRAM-SHA-256"),
        ("by_md5", "secret of by_md5", "md5"),
    ],
)
def test_everything_works(
    check: Callable[..., tuple[int, str]], user: str, password: str, method: str
) -> None:
    status, told = check(user, password=password)
    assert status == run.ALL_WORKS, told
    assert f"note  log-in: {method}\n" in told
    assert f"ok    logged in as {user} on PostgreSQL {find_binaries().version}" in told
    for line in ("prepared statements with parameters", "cancel requests", "COPY out", "COPY in"):
        assert f"ok    {line}\n" in told
    assert "ok    probes are read-only: a statement that writes is refused\n" in told
    reason = available()
    sandbox = (
        f"note  no sandbox for machine-written programs: {reason}" if reason else "ok    the sandbox holds"
    )
    assert f"{sandbox}\n" in told
    assert "\nno " not in told


def test_a_log_in_that_is_refused(check: Callable[..., tuple[int, str]]) -> None:
    status, told = check("by_scram", password="wrong")
    assert status == run.UNREACHABLE
    assert "no    log-in through askwire failed: password authentication failed" in told


def test_nobody_there(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert main(["check", "--dsn", f"host=127.0.0.1 port={port}"]) == run.UNREACHABLE
    assert "cannot be reached: Connection refused" in capsys.readouterr().out


@pytest.mark.skipif(openssl_files.OPENSSL is None, reason="the openssl program makes certificates")
def test_channel_binding_is_explained(open_folder: Path) -> None:
    certificates = openssl_files.make(open_folder / "check-certificates", "localhost")
    own = run._der(str(certificates.certificate))
    shown = load({"ssl_cert_file": str(certificates.certificate)})
    offered = ("SCRAM-SHA-256-PLUS", "SCRAM-SHA-256")
    for settings, certificate, mark in ((load(), b"x", "ok"), (shown, own, "ok"), (shown, b"x", "no")):
        greeting = Greeting(True, certificate, "SASL", offered)
        assert run._first_words(greeting, settings)[-1].mark == mark
    with pytest.raises(ConfigurationError, match="cannot read the TLS certificate"):
        run._der(str(open_folder / "nothing"))


@pytest.mark.skipif(openssl_files.OPENSSL is None, reason="the openssl program makes certificates")
def test_who_encrypts_is_said_where_it_costs(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = openssl_files.make(open_folder / "encrypting-certificates", "localhost")
    files = {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
    for compiled, settings, marks in (
        (True, load(files), []),
        (False, load(files), ["note"]),
        (False, load(), []),
        (False, load({"ssl_cert_file": str(open_folder / "nothing")}), []),
    ):
        monkeypatch.setattr(ServerTls, "is_compiled", compiled)
        assert [line.mark for line in run._client_tls(settings)] == marks
    for compiled, encrypts, marks in ((True, True, []), (False, True, ["note"]), (False, False, [])):
        monkeypatch.setattr(BackendTls, "is_compiled", compiled)
        assert [line.mark for line in run._backend_tls(encrypts=encrypts)] == marks
