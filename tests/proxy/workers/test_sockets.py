"""Listening sockets: one per worker, one for all, and those that were passed."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.addresses import Place
from askwire.proxy.workers.notify import activated, notify
from askwire.proxy.workers.sockets import (
    LENT,
    PASSED,
    ListeningSockets,
    PassedSockets,
    descriptors,
    hold,
    own_files,
)


@pytest.fixture
def opened() -> Iterator[list[ListeningSockets]]:
    """What is held, closed at the end."""
    held: list[ListeningSockets] = []
    yield held
    for one in held:
        for each in one.all():
            each.close()


def test_each_worker_has_a_socket_of_its_own(opened: list[ListeningSockets]) -> None:
    opened += hold([Place("127.0.0.1", 0)], 3, 0, PassedSockets())
    names = {one.getsockname() for one in opened[0].all()}
    assert len(names) == 1, "on one port"
    assert [len(opened[0].of(worker, 3)) for worker in range(3)] == [1, 1, 1]
    assert len({one.fileno() for worker in range(3) for one in opened[0].of(worker, 3)}) == 3


def test_no_socket_is_left_without_a_worker(opened: list[ListeningSockets]) -> None:
    opened += hold([Place("127.0.0.1", 0)], 5, 0, PassedSockets())
    for workers in (1, 2, 3, 8):
        accepted = [one for worker in range(workers) for one in opened[0].of(worker, workers)]
        assert {one.fileno() for one in accepted} == {one.fileno() for one in opened[0].all()}


def test_a_second_server_on_the_port_is_refused(opened: list[ListeningSockets]) -> None:
    opened += hold([Place("127.0.0.1", 0)], 2, 0, PassedSockets())
    port = next(opened[0].all()).getsockname()[1]
    with pytest.raises(ConfigurationError, match="cannot listen"):
        hold([Place("127.0.0.1", port)], 2, 0, PassedSockets())


def test_what_was_passed_is_used_again(opened: list[ListeningSockets], tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    before = hold([Place("127.0.0.1", 0), Place(path=path)], 2, 0o700, PassedSockets())
    port = next(before[0].all()).getsockname()[1]
    numbers, environment = descriptors(before)
    copies = [os.dup(number) for number in numbers]
    passed = PassedSockets.from_descriptors(str(copies))
    opened += hold([Place("127.0.0.1", port), Place(path=path)], 3, 0o700, passed)
    assert passed.close() == []
    assert {one.fileno() for one in opened[0].all()} > set(copies[:2]), "and one more for the third worker"
    assert opened[1].of(0, 3)[0].fileno() == copies[2]
    assert environment == {PASSED: str(numbers)}
    for one in before:
        for each in one.all():
            each.close()
    with socket.create_connection(("127.0.0.1", port)):
        pass


def test_files_of_a_service_managers_sockets_stay(opened: list[ListeningSockets], tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    given = socket.socket(socket.AF_UNIX)
    given.bind(path)
    given.listen()
    opened += hold([Place(path=path), Place(path=path + "2")], 2, 0o700, PassedSockets(lent=[given]))
    assert own_files(opened) == [path + "2"]
    _, environment = descriptors(opened)
    copies = {number: os.dup(number) for number in json.loads(environment[PASSED])}
    text, lent = (json.dumps([copies[n] for n in json.loads(environment[name])]) for name in (PASSED, LENT))
    after = PassedSockets.from_descriptors(text, lent)
    assert after.are_lent([path])
    assert not after.are_lent([path + "2"])
    assert after.close() == [path + "2"], "whose file is to be removed"


def test_what_is_named_no_more_is_closed() -> None:
    left = socket.create_server(("127.0.0.1", 0))
    port = left.getsockname()[1]
    assert PassedSockets([left]).close() == [f"127.0.0.1:{port}"]
    assert left.fileno() == -1


@pytest.mark.parametrize("text", ["x", "[99999]", "{}", "[-1]"])
def test_what_is_no_list_of_sockets_is_refused(text: str) -> None:
    if text == "{}":
        assert PassedSockets.from_descriptors(text).close() == []
        return
    with pytest.raises(ConfigurationError):
        PassedSockets.from_descriptors(text)


def test_sockets_of_a_service_manager_are_for_the_process_it_names() -> None:
    other = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x"}
    assert activated(other) == []
    assert other == {}, "what this process starts must not take them for its own"
    assert activated({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"}) == []


def test_without_a_service_manager_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/at/all")
    notify("READY=1")
