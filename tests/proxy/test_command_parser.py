"""What the command line says of arguments it does not know repeats no secret."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from askwire.proxy.command_parser import CommandParser

if TYPE_CHECKING:
    from servers.databases import Database

SECRET = "pw-5ecret"


@pytest.mark.parametrize(
    "typed",
    [
        f"postgresql://me:{SECRET}@host/db",
        f"postgresql://me:x@{SECRET}@host/db",
        f"host=h password={SECRET} user=me",
        f"host=h password='{SECRET}' user=me",
        f"--api-key={SECRET}",
        f"postgresql://host/db?user=me&password={SECRET}&sslmode=require",
    ],
)
def test_an_error_repeats_no_secret(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = CommandParser(prog="ask")
    parser.add_subparsers().add_parser("serve").add_argument("--dsn")
    with pytest.raises(SystemExit):
        parser.parse_args(["serve", "--backend", typed])
    said = capsys.readouterr().err
    assert "--backend" in said
    assert SECRET not in said


def test_a_running_proxy_shows_a_password_only_where_it_was_typed(database: Database, tmp_path: Path) -> None:
    """Neither its environment nor its log holds what the command line does."""
    dsn = f"postgresql://postgres:{SECRET}@127.0.0.1:{database.port}/{database.name}"
    command = [sys.executable, "-m", "askwire.proxy.cli", "serve", "--dsn", dsn, "--listen", "127.0.0.1:0"]
    log = tmp_path / "log"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ASKWIRE_STORE": "memory"}
    with (
        log.open("wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out, env=environment, cwd=tmp_path) as process,
    ):
        try:
            ends = time.monotonic() + 60
            while b"listening" not in log.read_bytes() and time.monotonic() < ends:
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
            place = Path(f"/proc/{process.pid}")
            if place.exists():
                assert (place / "cmdline").read_bytes().count(SECRET.encode()) == 1
                assert SECRET.encode() not in (place / "environ").read_bytes()
        finally:
            process.terminate()
    assert SECRET.encode() not in log.read_bytes()
