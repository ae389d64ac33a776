"""Start-up packets: any bytes are read, are incomplete, or are a ProtocolError."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from servers.wire_client import startup as startup_packet

from askwire.core.errors import ProtocolError
from askwire.proxy.connection import startup
from askwire.proxy.wire.messages import CANCEL_REQUEST_CODE, UINT32, cancel_request

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=10)


@given(st.dictionaries(NAMES, NAMES), st.binary(max_size=10))
def test_a_start_up_packet_reads_back(parameters: dict[str, str], rest: bytes) -> None:
    raw = startup_packet(parameters)
    read = startup.read(raw + rest)
    assert read == (startup.Startup(parameters, raw), len(raw))


@given(st.integers(0, 2**32 - 1), st.binary(min_size=4, max_size=256))
def test_a_cancel_request_reads_back(process_id: int, secret: bytes) -> None:
    key = UINT32.pack(process_id) + secret
    assume(not key.endswith(startup.PEER_MARK))
    raw = cancel_request(key)
    assert raw == UINT32.pack(len(raw)) + b"\x04\xd2\x16\x2e" + key
    assert startup.read(raw) == (startup.CancelRequest(key), len(raw))


@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda b: UINT32.pack(len(b) + 4) + b))
def test_any_bytes_are_read_incomplete_or_a_protocol_error(data: bytes) -> None:
    whole: object
    try:
        whole = startup.read(data)
    except ProtocolError as error:
        whole = error.message
    for cut in range(len(data)):
        try:
            part: object = startup.read(data[:cut])
        except ProtocolError as error:
            part = error.message
        assert part in (None, whole)


@pytest.mark.parametrize("length", [0, 7, 10_005, 2**32 - 1])
def test_a_length_that_cannot_be_is_refused_before_anything_is_kept(length: int) -> None:
    with pytest.raises(ProtocolError):
        startup.read(UINT32.pack(length))


def test_a_short_cancel_request_is_refused() -> None:
    with pytest.raises(ProtocolError):
        startup.read(UINT32.pack(12) + UINT32.pack(CANCEL_REQUEST_CODE) + bytes(4))


@pytest.mark.parametrize(
    ("value", "replicates"), [("true", True), ("database", True), ("off", False), ("0", False), ("", False)]
)
def test_a_session_of_replication_is_known(value: str, replicates: bool) -> None:
    read = startup.read(startup_packet({"user": "me", "replication": value} if value else {"user": "me"}))
    assert read is not None
    assert isinstance(read[0], startup.Startup)
    assert read[0].replication is replicates
