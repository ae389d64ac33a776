"""The limit of open files, raised for the clients that settings allow."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
soft, hard, clients = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from askwire.proxy.connection.descriptors import raise_limit
said = raise_limit(clients)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], said)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "clients", "limit", "said"),
    [
        (200, 4_000, 1_000, 2_128, ""),
        (200, 300, 1_000, 300, "enough for about 86 of max_clients = 1000"),
        (200, 300, 20, 200, ""),
        (200, 300, 0, 300, ""),
    ],
)
def test_the_limit_is_raised_as_far_as_it_goes(
    soft: int, hard: int, clients: int, limit: int, said: str
) -> None:
    arguments = [sys.executable, "-c", PROGRAM, *map(str, (soft, hard, clients))]
    shown = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    raised, _, sentence = shown.partition(" ")
    assert int(raised) == limit
    assert said in sentence
    assert bool(said) == bool(sentence.strip())
