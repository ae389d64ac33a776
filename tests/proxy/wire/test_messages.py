"""Message layouts: what is built can be read, and what cannot be read is a ProtocolError."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askwire.core.errors import ProtocolError
from askwire.proxy.wire import messages

NAMES = st.binary(max_size=20).map(lambda raw: raw.replace(b"\0", b""))
OIDS = st.lists(st.integers(0, 2**32 - 1), max_size=5)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


def payload(raw: bytes) -> bytes:
    (length,) = messages.UINT32.unpack_from(raw, 1)
    assert len(raw) == length + 1
    return raw[5:]


@given(NAMES, NAMES, OIDS)
def test_parse_reads_back(name: bytes, sql: bytes, oids: list[int]) -> None:
    read = messages.read_parse(payload(messages.parse(name, sql, oids)))
    assert (read.name, read.sql, read.parameter_types) == (name, sql, tuple(oids))


@given(NAMES)
def test_query_reads_back(sql: bytes) -> None:
    assert messages.read_query(payload(messages.query(sql))) == sql


@given(st.dictionaries(st.sampled_from("SVCMDHP"), TEXT.filter(bool)))
def test_error_fields_read_back(fields: dict[str, str]) -> None:
    assert messages.read_fields(payload(messages.error_response(fields))) == fields


def test_error_fields_cross_in_the_client_encoding() -> None:
    raw = payload(messages.error_response({"M": "größer als €"}, "iso8859-1"))
    assert raw == b"Mgr\xf6\xdfer als ?\0\0"
    assert messages.read_fields(raw, "iso8859-1") == {"M": "größer als ?"}


@given(st.lists(st.none() | TEXT, max_size=6))
def test_rows_read_back(cells: list[str | None]) -> None:
    raw = messages.INT16.pack(len(cells))
    for cell in cells:
        encoded = b"" if cell is None else cell.encode()
        raw += messages.INT32.pack(-1 if cell is None else len(encoded)) + encoded
    assert messages.read_data_row(raw) == tuple(cells)


@given(st.lists(st.tuples(TEXT, st.integers(0, 2**32 - 1)), max_size=4))
def test_columns_read_back(columns: list[tuple[str, int]]) -> None:
    raw = messages.INT16.pack(len(columns))
    for name, oid in columns:
        raw += name.encode() + b"\0" + bytes(6) + messages.UINT32.pack(oid) + bytes(8)
    assert [(c.name, c.type_oid) for c in messages.read_row_description(raw)] == columns


@pytest.mark.parametrize(
    "read",
    [
        messages.read_parse,
        messages.read_query,
        messages.read_fields,
        messages.read_parameter_status,
        messages.read_row_description,
        messages.read_data_row,
    ],
)
@given(raw=st.binary(max_size=60))
@example(raw=b"")
@example(raw=b"\xff\xff")
@example(raw=b"\0\1\0\0\0\7ab")
@example(raw=b"\0\1name")
@example(raw=b"name\0select\0\xff\xff")
def test_any_payload_reads_or_is_a_protocol_error(read: Callable[[bytes], object], raw: bytes) -> None:
    try:
        read(raw)
    except ProtocolError:
        return


def test_a_query_with_a_nul_inside_is_no_query() -> None:
    with pytest.raises(ProtocolError):
        messages.read_query(b"select 1\0; drop\0")
