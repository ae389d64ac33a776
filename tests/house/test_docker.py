"""What can be said of docker/ without a container engine."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from house.checkout import ROOT, SHIPPED

FOLDER = ROOT / "docker"


def instructions() -> list[str]:
    text = (FOLDER / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_build_sees_what_is_shipped_and_little_else() -> None:
    lines = (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert lines[1] == "*"
    seen = {line[1:] for line in lines if line.startswith("!")}
    assert seen >= {*SHIPPED, "pyproject.toml", "README.md", "LICENSE", "requirements/server.txt"}
    assert not [name for name in seen if not (ROOT / name).exists()]


def stages() -> tuple[list[str], list[str]]:
    """The instructions of the stage that builds, and of the one that runs."""
    lines = instructions()
    cut = lines.index("FROM python:${PYTHON}-slim")
    return lines[:cut], lines[cut:]


def test_the_image_runs_as_an_unprivileged_user() -> None:
    _, last = stages()
    assert "runs as an unprivileged user" in (FOLDER / "Dockerfile").read_text("utf-8")
    assert "USER 10001" in last
    assert [line for line in last if line.startswith("HEALTHCHECK")]
    assert not [line for line in last if "pip" in line or "apt-get" in line]


def test_the_image_has_the_wheel_with_the_compiled_relay() -> None:
    """The command imports the C extension, so an image without it is not built."""
    text = "\n".join(stages()[0])
    steps = ["install --yes --no-install-recommends gcc ", "COPY . .", "pip wheel --no-deps -w /wheels ."]
    steps += ["install --no-deps --no-index /wheels/*.whl", "import askwire._compiled"]
    assert [text.find(step) for step in steps] == sorted(text.find(step) for step in steps)
    assert all(step in text for step in steps)


def test_requirements_are_checked_by_hash() -> None:
    assert [line for line in instructions() if "--require-hashes -r requirements/server.txt" in line]


def test_nothing_but_askwire_is_published_and_that_on_loopback() -> None:
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    published = re.findall(r"^ +- (\S+:\d+:\d+)$", text, re.MULTILINE)
    assert published == ["127.0.0.1:6432:6432"]
    service = text[text.index("\n  askwire:") : text.index("\n  model:")]
    for line in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"):
        assert line in service


def test_every_service_says_whether_it_is_well() -> None:
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    services = re.split(
        r"^  (?=\w+:$)", text[text.index("services:") : text.index("\nvolumes:")], flags=re.MULTILINE
    )
    checked = {one.partition(":")[0]: "healthcheck:" in one for one in services[1:]}
    # askwire's own is in its image
    assert checked == {"postgres": True, "askwire": False, "model": True}


@contextmanager
def listening(answer: bytes) -> Iterator[int]:
    """A port on which one client gets this answer to its first message."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(8)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join(10)


def healthy(port: int) -> tuple[int, str]:
    told = subprocess.run(
        [sys.executable, str(FOLDER / "healthcheck.py")],
        env={"ASKWIRE_LISTEN": f"0.0.0.0:{port}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return told.returncode, told.stderr


@pytest.mark.parametrize("answer", [b"N", b"S"])
def test_the_health_check_takes_an_answer_for_life(answer: bytes) -> None:
    with listening(answer) as port:
        assert healthy(port) == (0, "")


def test_the_health_check_knows_another_protocol() -> None:
    with listening(b"HTTP/1.1 400\r\n") as port:
        status, told = healthy(port)
    assert (status, "which is not askwire" in told) == (1, True)


def test_the_health_check_knows_a_silent_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    status, told = healthy(port)
    assert status == 1
    assert told == f"askwire does not answer on port {port}: Connection refused\n"
