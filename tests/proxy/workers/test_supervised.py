"""A server of two workers, from outside: clients, signals, crashes, and an online restart."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest
from doubles.time_bounds import Stopwatch
from servers.serving import LONGEST, ServeProcess, children, free_port, until

from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.workers.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loaded_starts")]

StartServing = Callable[..., ServeProcess]


@pytest.fixture
def serving(postgres_server: EmbeddedPostgres, tmp_path: Path) -> Iterator[StartServing]:
    """Makes servers, and ends them with all their processes."""
    made: list[ServeProcess] = []

    def make(
        *, start: bool = True, environment: dict[str, str] | None = None, **settings: str
    ) -> ServeProcess:
        folder = tmp_path / str(len(made))
        one = ServeProcess(folder, postgres_server.port, settings, environment or {})
        made.append(one)
        if start:
            one.start()
        return one

    yield make
    for one in made:
        one.stop()


def worker_of(serving: ServeProcess, connection: psycopg.Connection[Any]) -> int:
    """Return the number of the worker that serves a connection."""
    pid = connection.info.backend_pid
    with serving.connect("askwire") as admin:
        rows = admin.execute("SHOW CLIENTS").fetchall()
    return next(int(row[0]) for row in rows if row[6] == pid) % 2


def spread(serving: ServeProcess, **options: Any) -> tuple[psycopg.Connection[Any], psycopg.Connection[Any]]:
    """Return a connection to worker 0 and one to worker 1."""
    found: dict[int, psycopg.Connection[Any]] = {}
    while len(found) < 2:
        connection = serving.connect(**options)
        number = worker_of(serving, connection)
        if number in found:
            connection.close()
        found.setdefault(number, connection)
    return found[0], found[1]


def test_two_workers_are_one_server(serving: StartServing) -> None:
    server = serving(admin_roles="postgres", max_clients="8", history="off")
    first, second = spread(server)
    with serving_admin(server) as admin:
        rows = admin.execute("SHOW CLIENTS").fetchall()
        assert {row[6] for row in rows} > {first.info.backend_pid, second.info.backend_pid}
        number = next(row[0] for row in rows if row[6] == second.info.backend_pid)
        stats = dict(admin.execute("SHOW STATS").fetchall())
        assert stats["sessions now"] == len(rows)
        admin.execute(f"KILL {number}".encode())
    # nothing is sent meanwhile: what arrives at a socket that is closed resets it, and the message is lost
    until(lambda: select.select([second], [], [], 0)[0], "the other worker ends it")
    with pytest.raises(psycopg.errors.AdminShutdown):
        second.execute("SELECT 1")
    assert first.execute("SELECT 1").fetchone() == (1,)
    held = [first]
    with pytest.raises(psycopg.OperationalError, match="too many clients"):  # noqa: PT012 - one of them
        while len(held) < 9:
            held.append(server.connect())
    assert len(held) == 8, "the bound holds over both workers"
    for connection in held:
        connection.close()


def serving_admin(server: ServeProcess) -> psycopg.Connection[Any]:
    """Connect to the admin database."""
    return server.connect("askwire")


def test_log_ins_are_bounded_over_all_workers(serving: StartServing) -> None:
    """Fewer than workers, or more: so many stay as are allowed, wherever they are; clients still log in."""
    for most in (1, 3):
        server = serving(max_logins=str(most), store="memory", history="off")
        crowd: list[socket.socket] = []
        try:
            for number in range(1, 13):
                crowd.append(socket.create_connection(("127.0.0.1", server.port)))
                until(lambda: len(_open(crowd)) == min(number, most), f"{most} stay")  # noqa: B023 - at once
            with server.connect() as client:
                assert client.execute("SELECT 1").fetchone() == (1,)
            # a worker asked to let one go does so only if the client has not logged in before it hears of it
            assert most - 1 <= len(_open(crowd)) <= most, "no more than one of them made room for the client"
        finally:
            for one in crowd:
                one.close()


def _open(crowd: Sequence[socket.socket]) -> list[socket.socket]:
    """Those that nothing was said to."""
    return [one for one in crowd if not select.select([one], [], [], 0)[0]]


def test_a_worker_that_crashes_ends_only_its_own_sessions(serving: StartServing) -> None:
    server = serving(admin_roles="postgres")
    first, second = spread(server)
    before = server.workers()
    assert len(before) == 2
    for connection in (first, second):
        _ask(connection)
    with serving_admin(server) as admin:
        asked = dict(admin.execute("SHOW STATS").fetchall())
    os.kill(before[0], signal.SIGKILL)
    lost, kept = (first, second) if "worker 0" in _after(server, "ended by SIGKILL") else (second, first)
    with pytest.raises(psycopg.OperationalError):
        lost.execute("SELECT 1")
    assert kept.execute("SELECT 1").fetchone() == (1,)
    until(lambda: len(server.workers()) == 2 and before[0] not in server.workers(), "it is replaced")
    with serving_admin(server) as admin:
        stats = dict(admin.execute("SHOW STATS").fetchall())
    assert asked["asks"] == stats["asks"] == 2, "what the worker has done still counts"
    assert stats["bytes to clients"] >= asked["bytes to clients"]
    again = spread(server)
    assert all(connection.execute("SELECT 1").fetchone() == (1,) for connection in again)
    for connection in (*again, kept):
        connection.close()


def _ask(connection: psycopg.Connection[Any]) -> None:
    """Send an ASK that is counted, and refused: the database is empty."""
    with pytest.raises(psycopg.DatabaseError, match="names nothing"):
        connection.execute(b"ASK 'how many gadgets are there?'")


def _after(server: ServeProcess, words: str) -> str:
    """Return the line of the log with these words, once it is there."""
    until(lambda: words in server.said(), words)
    return next(line for line in server.said().splitlines() if words in line)


def _cancel_until(connection: psycopg.Connection[Any], ended: threading.Event) -> None:
    """Cancel, and again: what is to be canceled may not have begun."""
    while not ended.wait(1.0):
        connection.cancel_safe()


def test_a_cancel_request_finds_its_worker(serving: StartServing) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        model = {
            "ASKWIRE_EXPERT_MUTE_URL": f"http://127.0.0.1:{mute.getsockname()[1]}/v1",
            "ASKWIRE_EXPERT_MUTE_MODEL": "mute",
        }
        server = serving(environment=model, timeout="1h", progress="0")
        for _ in range(6):  # each goes to any of the two
            with server.connect() as connection:
                ended = threading.Event()

                canceling = threading.Thread(target=_cancel_until, args=(connection, ended))
                canceling.start()
                taken = Stopwatch()
                with pytest.raises(psycopg.errors.QueryCanceled):
                    connection.execute(b"ASK (FRESH) 'how many relations are there?'")
                assert taken.within(60)
                ended.set()
                canceling.join()


def test_an_online_restart_refuses_no_connection(serving: StartServing) -> None:
    server = serving(admin_roles="postgres")
    assert server.process is not None
    first = server.process
    refused: list[Exception] = []
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            try:
                with server.connect() as connection:
                    connection.execute("SELECT 1")
            except psycopg.Error as error:
                refused.append(error)

    client = threading.Thread(target=come_and_go)
    client.start()
    successor = 0
    try:
        with server.connect() as old:
            server.signal(signal.SIGUSR2)
            _after(server, "this one ends with its last session")
            (successor,) = [pid for pid in children(first.pid) if children(pid)]
            done.set()
            client.join()
            assert refused == []
            assert old.execute("SELECT 1").fetchone() == (1,), "old sessions go on"
            with server.connect() as new:
                assert new.execute("SELECT 1").fetchone() == (1,)
        assert first.wait(LONGEST) == 0, "the former process ends with its last session"
        with server.connect() as new:
            assert new.execute("SELECT 1").fetchone() == (1,)
    finally:
        done.set()
        client.join()
        if successor:
            os.kill(successor, signal.SIGTERM)
        until(lambda: not Path(f"/proc/{successor}").exists() or _is_zombie(successor), "it ends")


def test_a_unix_socket_that_is_not_listed_any_more_goes_with_the_restart(
    serving: StartServing, tmp_path: Path
) -> None:
    path = tmp_path / "s"
    server = serving(start=False)
    server.configure(listen=f"127.0.0.1:{server.port},{path}")
    server.start()
    assert server.process is not None
    assert path.is_socket()
    successor = 0
    try:
        with server.connect() as old:
            server.configure()
            server.signal(signal.SIGUSR2)
            _after(server, "this one ends with its last session")
            (successor,) = [pid for pid in children(server.process.pid) if children(pid)]
            until(lambda: not path.exists(), "its file goes")
            assert old.execute("SELECT 1").fetchone() == (1,)
            with server.connect() as new:
                assert new.execute("SELECT 1").fetchone() == (1,)
        assert server.process.wait(LONGEST) == 0
    finally:
        if successor:
            os.kill(successor, signal.SIGTERM)
        until(lambda: not Path(f"/proc/{successor}").exists() or _is_zombie(successor), "it ends")


def _told_of(server: ServeProcess, session: psycopg.Connection[Any]) -> str:
    """Of which process the admin database says that a session is."""
    with serving_admin(server) as admin:
        found = {row[6]: row[8] for row in admin.execute("SHOW CLIENTS").fetchall()}
    return str(found[session.info.backend_pid])


def test_sessions_of_the_former_process_are_shown_counted_and_ended(serving: StartServing) -> None:
    server = serving(admin_roles="postgres", max_clients="4", store="memory", history="off")
    assert server.process is not None
    successor = 0
    try:
        with server.connect() as old, server.connect() as kept:
            _ask(old)
            with serving_admin(server) as admin:
                before = dict(admin.execute("SHOW STATS").fetchall())
            server.signal(signal.SIGUSR2)
            _after(server, "this one ends with its last session")
            (successor,) = [pid for pid in children(server.process.pid) if children(pid)]
            # a worker of the former process may still take a connection that was on its way to it
            until(lambda: _told_of(server, old) == "former", "a new worker answers")
            with serving_admin(server) as admin:
                clients = {row[6]: row for row in admin.execute("SHOW CLIENTS").fetchall()}
                assert clients[admin.info.backend_pid][8] == "current"
                after = dict(admin.execute("SHOW STATS").fetchall())
                assert before["asks"] == after["asks"] == 1
                assert after["sessions opened"] >= before["sessions opened"] + 1
                with server.connect(), pytest.raises(psycopg.OperationalError, match="too many clients"):
                    server.connect()
                admin.execute(f"KILL {clients[old.info.backend_pid][0]}".encode())
                until(lambda: select.select([old], [], [], 0)[0], "the former process ends it")
                with pytest.raises(psycopg.errors.AdminShutdown):
                    old.execute("SELECT 1")
                assert kept.execute("SELECT 1").fetchone() == (1,)
        assert server.process.wait(LONGEST) == 0
        with serving_admin(server) as admin:
            last = dict(admin.execute("SHOW STATS").fetchall())
        assert last["asks"] == 1, "also when the former process has ended"
        assert last["sessions opened"] > after["sessions opened"]
    finally:
        if successor:
            os.kill(successor, signal.SIGTERM)
        until(lambda: not Path(f"/proc/{successor}").exists() or _is_zombie(successor), "it ends")


def test_sessions_before_two_online_restarts_are_shown(serving: StartServing) -> None:
    server = serving(admin_roles="postgres")
    assert server.process is not None
    pids = [server.process.pid]
    try:
        with server.connect() as old:
            for number in (1, 2):
                os.kill(pids[-1], signal.SIGUSR2)
                until(partial(_taken_over, server, number), "it takes over")
                pids += [pid for pid in children(pids[-1]) if children(pid)]
            until(lambda: not set(children(pids[1])) - set(pids), "the second process has no worker left")
            with serving_admin(server) as admin:
                found = {row[6]: row[8] for row in admin.execute("SHOW CLIENTS").fetchall()}
            assert found[old.info.backend_pid] == "former"
        assert server.process.wait(LONGEST) == 0
        until(lambda: _is_zombie(pids[1]), "the second process ends after the first one")
        with server.connect() as new:
            assert new.execute("SELECT 1").fetchone() == (1,)
    finally:
        for pid in pids[1:]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            until(partial(_is_zombie, pid), "it ends")


def _taken_over(server: ServeProcess, times: int) -> bool:
    return server.said().count("ends with its last session") == times


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_server_that_ends_ends_the_process_that_takes_over(serving: StartServing) -> None:
    server = serving()
    assert server.process is not None
    workers = server.workers()
    server.signal(signal.SIGUSR2)
    _after(server, "a new process takes over")
    until(lambda: len(server.workers()) > len(workers), "it is there")
    (successor,) = set(server.workers()) - set(workers)
    try:
        server.signal(signal.SIGTERM)
        assert server.process.wait(LONGEST) == 0
        until(lambda: _is_zombie(successor), "it ends as well")
        with pytest.raises(psycopg.OperationalError):
            server.connect()
    finally:
        if not _is_zombie(successor):
            os.kill(successor, signal.SIGKILL)


def test_the_first_process_of_a_container_hands_nothing_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The container would end with its last session, and the process that took over with it."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    one = Supervisor(1, [], None, lambda _: 0, 1.0, command=[sys.executable, "-c", ""])
    one._hand_over()
    assert "SIGUSR2 is ignored: a container ends with this process; replace the container" in caplog.text
    assert one._successor is None


_STOPPED_WORKER = """
import os, signal, sys
from askwire.proxy.workers import supervisor

supervisor._HUNG_SECONDS = supervisor._STACK_DUMP_SECONDS = 0.2

def serve(place):
    with open(sys.argv[1], "a") as starts:
        starts.write("x")
    place.counts.turned(place.number)
    if os.path.getsize(sys.argv[1]) == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(os.getppid(), signal.SIGTERM)
    return 0

sys.exit(supervisor.Supervisor(1, [], None, serve, 1.0).run())
"""


def test_a_worker_that_is_stopped_is_replaced(tmp_path: Path) -> None:
    """SIGABRT waits for SIGCONT, which may never come."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _STOPPED_WORKER, str(tmp_path / "starts")]
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        assert process.wait(60) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and a worker that is still stopped
    assert (tmp_path / "starts").read_text() == "xx"


def test_a_restart_with_settings_that_cannot_be_used_changes_nothing(serving: StartServing) -> None:
    server = serving()
    with server.connect() as old:
        server.configure(max_clients="many")
        server.signal(signal.SIGUSR2)
        _after(server, "this one goes on")
        assert "max_clients" in server.said(), "the reason is said"
        assert old.execute("SELECT 1").fetchone() == (1,)
        with server.connect() as new:
            assert new.execute("SELECT 1").fetchone() == (1,)
        server.configure(max_clients="7", admin_roles="postgres")
        server.signal(signal.SIGHUP)
        until(lambda: server.said().count("changed: max_clients") == 2, "both workers read them")
        with serving_admin(server) as admin:
            told = {row[0]: row[1] for row in admin.execute("SHOW CONFIG").fetchall()}
    assert told["max_clients"] == "7", "and the settings can be read again"


def test_it_ends_as_one(serving: StartServing) -> None:
    server = serving()
    workers = server.workers()
    with server.connect() as connection:
        connection.execute("BEGIN")
        server.signal(signal.SIGTERM)
        _after(server, "shutting down once sessions")
        assert connection.execute("SELECT 1").fetchone() == (1,), "a transaction comes to its end"
        connection.execute("COMMIT")
        assert server.process is not None
        assert server.process.wait(LONGEST) == 0
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "no worker stays")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_server_that_ends_refuses_connections_and_is_not_ready(serving: StartServing, workers: str) -> None:
    """A balancer sends a connection that is refused elsewhere; one that hangs is lost."""
    console = free_port()
    server = serving(workers=workers, console_listen=f"127.0.0.1:{console}", admin_roles="postgres")
    until(lambda: ready(console) == 200, "it is ready")
    if workers == "0":
        connection = server.connect()
    else:
        first, connection = spread(server)
        first.close()  # the console's worker has no session left
    with connection:
        connection.execute("BEGIN")
        if workers == "0":
            server.signal(signal.SIGUSR2)
            _after(server, "SIGUSR2 is ignored")
        server.signal(signal.SIGTERM)
        _after(server, "shutting down once sessions")
        until(lambda: not _listens(server.port), "a connection is refused")
        assert ready(console) == 503
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert ready(console) == 503
        connection.execute("COMMIT")
    assert server.process is not None
    assert server.process.wait(LONGEST) == 0


def ready(console: int) -> int:
    """Return the status of /readyz; 0 where no process answers."""
    try:
        with urlopen(f"http://127.0.0.1:{console}/readyz", timeout=LONGEST) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != errno.ECONNREFUSED


def test_workers_without_a_supervisor_free_the_port_and_end(serving: StartServing) -> None:
    server = serving()
    workers = server.workers()
    with server.connect() as connection:
        connection.execute("BEGIN")
        server.signal(signal.SIGKILL)
        until(lambda: _is_free(server.port), "another server can listen")
        assert connection.execute("SELECT 1").fetchone() == (1,), "a transaction comes to its end"
        connection.execute("COMMIT")
    until(lambda: all(_is_zombie(pid) for pid in workers), "no worker stays")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def test_a_store_in_memory_that_workers_cannot_share_is_warned_of(serving: StartServing) -> None:
    server = serving(store="memory")
    assert "each of 2 workers remembers for itself" in server.said()


def test_a_restart_without_workers_is_refused_with_the_reason(serving: StartServing) -> None:
    server = serving()
    server.configure(workers="0")
    server.signal(signal.SIGUSR2)
    _after(server, "this one goes on")
    assert "workers = 0 cannot take over" in server.said()
    with server.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ssl_cert_file": "/nowhere/cert.pem"}, "/nowhere/cert.pem"),
        ({"listen": "127.0.0.1:{taken}"}, "cannot listen on"),
    ],
)
def test_what_cannot_be_used_is_said_once(serving: StartServing, settings: dict[str, str], said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        filled = {name: value.format(taken=port) for name, value in settings.items()}
        server = serving(start=False, **filled)
        assert server.begin().wait(LONGEST) == 2
    lines = [line for line in server.said().splitlines() if line.startswith("askwire: ")]
    assert lines, server.said()
    assert said in lines[0]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_service_manager_gives_the_socket_and_is_told(
    serving: StartServing, tmp_path: Path, workers: str
) -> None:
    address = str(tmp_path / "notify")
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        socket.create_server(("127.0.0.1", 0)) as given,
    ):
        manager.bind(address)
        manager.settimeout(LONGEST)
        port = given.getsockname()[1]
        server = serving(start=False, environment={"NOTIFY_SOCKET": address})
        server.port = port
        server.configure(workers=workers)

        server.process = server.begin(descriptor=given.fileno())
        said = manager.recv(4096).decode().splitlines()
        assert "READY=1" in said
        assert f"MAINPID={server.process.pid}" in said
        with server.connect() as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        server.configure(workers=workers, max_clients="7")
        server.signal(signal.SIGHUP)
        assert "RELOADING=1" in manager.recv(4096).decode()
        assert "READY=1" in manager.recv(4096).decode()
        assert server.said().count("changed: max_clients") == max(1, int(workers)), "it has been read by then"
        server.configure(workers=workers, max_clients="many")
        server.signal(signal.SIGHUP)
        assert "RELOADING=1" in manager.recv(4096).decode()
        answer = manager.recv(4096).decode()
        assert "READY=1" in answer
        assert "could not" in answer
        assert server.said().count("the settings stay as they are") == max(1, int(workers))
        server.stop()
        assert "STOPPING=1" in manager.recv(4096).decode()


def test_a_worker_that_is_replaced_has_the_settings_that_were_read_again(serving: StartServing) -> None:
    server = serving()
    server.configure(admin_roles="postgres", max_clients="7")
    server.signal(signal.SIGHUP)
    until(lambda: server.said().count("changed: ") == 2, "both workers read them")
    before = server.workers()
    os.kill(before[0], signal.SIGKILL)
    until(lambda: server.said().count("changed: ") == 3, "the new one reads them")
    for connection in spread(server):
        connection.close()
