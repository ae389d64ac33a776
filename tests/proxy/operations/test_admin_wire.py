"""The admin database, message by message: what is shown, what is carried out, and what is refused."""

from __future__ import annotations

import random
from struct import pack
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.errors import ConfigurationError, ProtocolError
from askwire.core.settings.table import load
from askwire.proxy.memory.live import AskStatus
from askwire.proxy.operations.admin import Client, ExpertStatus
from askwire.proxy.operations.admin_wire import LONGEST_MESSAGE, AdminWire
from askwire.proxy.operations.figures import Figures
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import FrameReader

if TYPE_CHECKING:
    from collections.abc import Sequence


class House:
    """A house with one client, one expert and one ASK under way."""

    alone = True

    async def refresh(self) -> None:
        """There is no one else."""

    def __init__(self) -> None:
        self.settings = load({"timeout": "7s"}, called=("askwire.toml",))
        self.figures = Figures(sessions_opened=3)
        self.killed: list[int] = []
        self.reloads = 0
        self.broken = False

    def clients(self) -> Sequence[Client]:
        return [Client(4, "ada", "shop", "psql", "127.0.0.1:5000", "relay", 4711, 12.5)]

    def experts(self) -> Sequence[ExpertStatus]:
        return [ExpertStatus("embedded", "", "", "ready")]

    def relayed(self) -> tuple[int, int]:
        return 70, 90

    def under_way(self) -> Sequence[AskStatus]:
        return [AskStatus("k", 0.0, "ada", "shop", "how many?", (("planner", 3.0),), 40.9)]

    def reload(self) -> Sequence[str]:
        self.reloads += 1
        if self.broken:
            raise ConfigurationError("askwire.toml is gone", hint="Put it back.")
        return ["timeout"]

    def kill(self, number: int) -> bool:
        self.killed.append(number)
        return number == 4


class Talk:
    """A client at the admin database, and what it was sent."""

    def __init__(self) -> None:
        self.status = House()
        self.left = False
        self._sent = bytearray()
        self._wire = AdminWire(self.status, self._sent.extend, self._leave)

    def _leave(self) -> None:
        self.left = True

    def send(self, data: bytes) -> list[tuple[str, bytes]]:
        self._sent.clear()
        self._wire.feed(data)
        return [(chr(kind), payload) for kind, payload in FrameReader(1 << 20).feed(bytes(self._sent))]

    def ask(self, text: str) -> tuple[list[tuple[str, ...]], list[tuple[str | None, ...]]]:
        """Column names, and the rows of the answer."""
        told = self.send(messages.query(text.encode()))
        assert told[-1] == ("Z", b"I")
        names = [tuple(c.name for c in messages.read_row_description(p)) for kind, p in told if kind == "T"]
        return names, [messages.read_data_row(p) for kind, p in told if kind == "D"]

    def fails(self, text: str) -> dict[str, str]:
        told = self.send(messages.query(text.encode()))
        assert [kind for kind, _ in told] == ["E", "Z"]
        return messages.read_fields(told[0][1])


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.mark.parametrize(
    ("statement", "column", "row"),
    [
        ("SHOW STATS", "what", ("sessions opened", "3")),
        (
            "show clients;",
            "client",
            ("4", "ada", "shop", "psql", "127.0.0.1:5000", "relay", "4711", "12", "current"),
        ),
        ("SHOW ASKS", "ask", ("k", "ada", "shop", "how many?", "planner", "40")),
        ("SHOW experts", "expert", ("embedded", "", "", "ready", "0", "0", "0", "0", "0.0")),
        ("SHOW CONFIG -- all of it", "setting", ("timeout", "7s", "askwire.toml", "yes", "no")),
        ("/* who */ SHOW HELP", "command", ("KILL n", "end the session of client n")),
        ("RELOAD", "changed", ("timeout",)),
    ],
)
def test_what_is_shown(talk: Talk, statement: str, column: str, row: tuple[str, ...]) -> None:
    names, rows = talk.ask(statement)
    assert names[0][0] == column
    assert row in rows


def test_a_client_is_ended_by_its_number(talk: Talk) -> None:
    assert talk.ask("KILL 4") == ([], [])
    assert talk.fails("KILL 5")["C"] == "42704"
    assert talk.fails("KILL everybody")["C"] == "42601"
    assert talk.status.killed == [4, 5]


def test_what_is_wrong_with_the_settings_is_told(talk: Talk) -> None:
    talk.status.broken = True
    assert talk.fails("RELOAD") == {
        "S": "ERROR",
        "V": "ERROR",
        "C": "F0000",
        "M": "askwire.toml is gone",
        "H": "Put it back.",
    }


SET_HINT = "Change the configuration and send RELOAD; the console makes settings stricter."


@pytest.mark.parametrize(
    ("statement", "code", "hint"),
    [
        ("DROP TABLE x", "42601", "SHOW HELP lists the commands."),
        ("SHOW ME ALL", "42601", "SHOW HELP lists the commands."),
        ("SHOW nothing", "42704", "SHOW HELP lists the commands."),
        ("KILL", "42601", "SHOW CLIENTS has them."),
        ("KILL x", "42601", "SHOW CLIENTS has them."),
        ("KILL 5", "42704", "SHOW CLIENTS has them."),
        ("SELECT 1", "0A000", "SHOW HELP lists its commands; connect to another database to ask or query."),
        ("ASK 'q'", "0A000", "SHOW HELP lists its commands; connect to another database to ask or query."),
        ("SET judge_by = 'python'", "55P02", SET_HINT),
        ("set session log_level to debug", "55P02", SET_HINT),
        ("SET LOCAL askwire.egress=rows", "55P02", SET_HINT),
        ("RESET askwire.nothing", "55P02", SET_HINT),
    ],
)
def test_other_statements_are_refused(talk: Talk, statement: str, code: str, hint: str) -> None:
    told = talk.fails(statement)
    assert (told["C"], told["H"]) == (code, hint)


def test_numbers_have_types_of_numbers(talk: Talk) -> None:
    told = talk.send(messages.query(b"SHOW EXPERTS"))
    types = ((25, -1), (20, 8), (701, 8))
    assert [told[0][1].count(pack("!Ih", *one)) for one in types] == [4, 4, 1]


def test_the_first_error_ends_a_query_of_several(talk: Talk) -> None:
    told = talk.send(messages.query(b"SHOW VERSION; KILL x; KILL 4"))
    assert [kind for kind, _ in told] == ["T", "D", "C", "E", "Z"]
    assert talk.status.killed == []


@pytest.mark.parametrize("text", ["", ";", " ; ;"])
def test_an_empty_query_gets_the_answer_of_one(talk: Talk, text: str) -> None:
    assert [kind for kind, _ in talk.send(messages.query(text.encode()))] == ["I", "Z"]


def extended(sql: bytes, formats: bytes = b"\0\0", *, describe: bytes = b"P") -> bytes:
    return b"".join(
        (
            messages.parse(b"", sql),
            messages.frame(b"B", b"\0\0\0\0\0\0" + formats),
            messages.describe_portal(b"") if describe == b"P" else messages.describe_statement(b""),
            messages.execute(b""),
            messages.SYNC,
        )
    )


def test_the_extended_protocol(talk: Talk) -> None:
    told = talk.send(extended(b"SHOW CLIENTS"))
    assert [kind for kind, _ in told] == ["1", "2", "T", "D", "C", "Z"]
    assert messages.read_data_row(told[3][1])[0] == "4"


def test_whole_numbers_can_be_binary(talk: Talk) -> None:
    told = talk.send(extended(b"SHOW CLIENTS", b"\0\1\0\1"))
    assert told[3][1].startswith(pack("!hiq", 9, 8, 4) + pack("!i", 3) + b"ada")


def test_what_acts_acts_once(talk: Talk) -> None:
    told = talk.send(extended(b"KILL 4", describe=b"S"))
    assert [kind for kind, _ in told] == ["1", "2", "t", "n", "C", "Z"]
    assert talk.status.killed == [4]


def test_an_error_skips_to_the_sync(talk: Talk) -> None:
    told = talk.send(
        messages.parse(b"", b"nonsense") + messages.execute(b"nowhere") + messages.execute(b"again")
    )
    assert [kind for kind, _ in told] == ["1", "E"]
    assert messages.read_fields(told[1][1])["C"] == "34000"
    assert talk.send(messages.SYNC) == [("Z", b"I")]
    assert [kind for kind, _ in talk.send(messages.close_statement(b"") + messages.SYNC)] == ["3", "Z"]


def test_a_client_that_leaves(talk: Talk) -> None:
    talk.send(messages.TERMINATE)
    assert talk.left


def test_what_is_no_protocol_ends_the_session(talk: Talk) -> None:
    with pytest.raises(ProtocolError):
        talk.send(messages.frame(b"F", b"1234"))
    with pytest.raises(ProtocolError, match="too long"):
        Talk().send(b"Q\x7f\xff\xff\xff" + b"x" * LONGEST_MESSAGE)


@given(st.binary(max_size=200), st.randoms(use_true_random=False))
def test_any_bytes_are_answered_or_refused(data: bytes, chance: random.Random) -> None:
    talk = Talk()
    kinds = b"QPBDECHSX"
    for _ in range(3):
        kind = bytes((chance.choice(kinds),))
        cut = chance.randrange(len(data) + 1)
        try:
            talk.send(messages.frame(kind, data[:cut]))
        except ProtocolError:
            return
