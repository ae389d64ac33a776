"""Message layouts of protocol 3: building frontend messages, reading and building backend messages.

All functions take and give bytes; strings cross as UTF-8 unless a codec is given. Names are those of the
protocol documentation ("Message Formats").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class

from askwire.core.errors import ProtocolError
from askwire.core.types import Cell, ResultColumn, Row

INT16 = Struct("!h")
INT32 = Struct("!i")
UINT32 = Struct("!I")

SSL_REQUEST_CODE = 80877103
GSSENC_REQUEST_CODE = 80877104
CANCEL_REQUEST_CODE = 80877102

SYNC = b"S\x00\x00\x00\x04"
FLUSH = b"H\x00\x00\x00\x04"
TERMINATE = b"X\x00\x00\x00\x04"
SSL_REQUEST = UINT32.pack(8) + UINT32.pack(SSL_REQUEST_CODE)


def frame(kind: bytes, payload: bytes) -> bytes:
    """One typed message: kind, length (which counts itself), payload."""
    return kind + UINT32.pack(len(payload) + 4) + payload


def query(sql: bytes) -> bytes:
    """Query: a simple query string."""
    return frame(b"Q", sql + b"\x00")


def parse(name: bytes, sql: bytes, parameter_types: Sequence[int] = ()) -> bytes:
    """Parse: a prepared statement; OID 0 leaves a parameter's type to the backend."""
    return frame(b"P", parse_payload(name, sql, parameter_types))


def parse_payload(name: bytes, sql: bytes, parameter_types: Sequence[int] = ()) -> bytes:
    """The payload of a Parse message."""
    oids = b"".join(UINT32.pack(oid) for oid in parameter_types)
    return name + b"\x00" + sql + b"\x00" + INT16.pack(len(parameter_types)) + oids


def bind(portal: bytes, statement: bytes, parameters: Sequence[bytes | None] = ()) -> bytes:
    """Bind with all parameters and results in text format."""
    values = []
    for parameter in parameters:
        if parameter is None:
            values.append(INT32.pack(-1))
        else:
            values.append(INT32.pack(len(parameter)) + parameter)
    return frame(
        b"B",
        portal
        + b"\x00"
        + statement
        + b"\x00\x00\x00"
        + INT16.pack(len(parameters))
        + b"".join(values)
        + b"\x00\x00",
    )


def describe_statement(name: bytes) -> bytes:
    """Describe a prepared statement."""
    return frame(b"D", b"S" + name + b"\x00")


def describe_portal(name: bytes) -> bytes:
    """Describe a portal."""
    return frame(b"D", b"P" + name + b"\x00")


def execute(portal: bytes, max_rows: int = 0) -> bytes:
    """Execute a portal; 0 fetches all rows."""
    return frame(b"E", portal + b"\x00" + UINT32.pack(max_rows))


def close_statement(name: bytes) -> bytes:
    """Close a prepared statement; no error when there is none of that name."""
    return frame(b"C", b"S" + name + b"\x00")


def close_portal(name: bytes) -> bytes:
    """Close a portal; no error when there is none of that name."""
    return frame(b"C", b"P" + name + b"\x00")


@dataclass(frozen=True, slots=True)
class ParseMessage:
    """The fields of a frontend Parse message."""

    name: bytes
    sql: bytes
    parameter_types: tuple[int, ...]


def read_parse(payload: bytes) -> ParseMessage:
    """Read a Parse message's payload; ProtocolError when it is not one."""
    name_end = payload.find(b"\x00")
    sql_end = payload.find(b"\x00", name_end + 1)
    if name_end < 0 or sql_end < 0 or len(payload) < sql_end + 3:
        raise ProtocolError("invalid Parse message")
    (count,) = INT16.unpack_from(payload, sql_end + 1)
    if count < 0 or len(payload) != sql_end + 3 + 4 * count:
        raise ProtocolError("invalid Parse message")
    oids = tuple(UINT32.unpack_from(payload, sql_end + 3 + 4 * i)[0] for i in range(count))
    return ParseMessage(payload[:name_end], payload[name_end + 1 : sql_end], oids)


@dataclass(frozen=True, slots=True)
class BindMessage:
    """The fields of a frontend Bind message that say what is bound."""

    portal: bytes
    statement: bytes
    values: tuple[bytes | None, ...]


def read_bind(payload: bytes) -> BindMessage:
    """Read a Bind message's payload up to its parameters; ProtocolError when it is not one."""
    portal = first_name(payload)
    statement = first_name(payload, len(portal) + 1)
    at = len(portal) + len(statement) + 2
    values: list[bytes | None] = []
    try:
        (formats,) = INT16.unpack_from(payload, at)
        at += 2 + 2 * formats
        (count,) = INT16.unpack_from(payload, at)
        at += 2
        for _ in range(count):
            (length,) = INT32.unpack_from(payload, at)
            at += 4
            values.append(None if length < 0 else payload[at : at + length])
            at += max(length, 0)
    except StructError:
        raise ProtocolError("invalid Bind message") from None
    if at > len(payload):
        raise ProtocolError("invalid Bind message")
    return BindMessage(portal, statement, tuple(values))


def first_name(payload: bytes, start: int = 0) -> bytes:
    """The string that begins at `start`, up to its terminator or the end."""
    end = payload.find(b"\x00", start)
    return payload[start:] if end < 0 else payload[start:end]


def read_query(payload: bytes) -> bytes:
    """The query string of a Query message's payload; ProtocolError when it is not one."""
    if not payload.endswith(b"\x00") or b"\x00" in payload[:-1]:
        raise ProtocolError("invalid Query message")
    return payload[:-1]


def read_fields(payload: bytes, codec: str = "utf-8") -> dict[str, str]:
    """The fields of an ErrorResponse or NoticeResponse by their one-letter codes."""
    fields: dict[str, str] = {}
    for part in payload.split(b"\x00"):
        if part:
            fields[chr(part[0])] = part[1:].decode(codec, "replace")
    return fields


def _fields(fields: Mapping[str, str], codec: str) -> bytes:
    parts = [
        code.encode("ascii") + value.replace("\x00", "").encode(codec, "replace") + b"\x00"
        for code, value in fields.items()
        if value
    ]
    return b"".join(parts) + b"\x00"


def error_response(fields: Mapping[str, str], codec: str = "utf-8") -> bytes:
    """ErrorResponse from fields by their one-letter codes; empty ones are left out."""
    return frame(b"E", _fields(fields, codec))


def notice_response(fields: Mapping[str, str], codec: str = "utf-8") -> bytes:
    """NoticeResponse from fields by their one-letter codes; empty ones are left out."""
    return frame(b"N", _fields(fields, codec))


def fatal(sqlstate: str, message: str, *, detail: str = "", hint: str = "") -> bytes:
    """An ErrorResponse of severity FATAL, as the backend sends it before it closes a connection."""
    return error_response({"S": "FATAL", "V": "FATAL", "C": sqlstate, "M": message, "D": detail, "H": hint})


def read_parameter_status(payload: bytes) -> tuple[str, str]:
    """Name and value of a ParameterStatus message."""
    name, _, value = payload.partition(b"\x00")
    return name.decode("ascii", "replace"), value.rstrip(b"\x00").decode("utf-8", "replace")


def read_row_description(payload: bytes, codec: str = "utf-8") -> tuple[ResultColumn, ...]:
    """The columns of a RowDescription message; ProtocolError when it is not one."""
    columns = []
    at = 2
    try:
        (count,) = INT16.unpack_from(payload, 0)
        for _ in range(count):
            end = payload.index(b"\x00", at)
            name = payload[at:end].decode(codec, "replace")
            (type_oid,) = UINT32.unpack_from(payload, end + 7)
            columns.append(ResultColumn(name, type_oid))
            at = end + 19
    except (StructError, ValueError):
        raise ProtocolError("the backend sent an invalid RowDescription message") from None
    if at != len(payload):
        raise ProtocolError("the backend sent an invalid RowDescription message")
    return tuple(columns)


def read_row_type(payload: bytes) -> tuple[tuple[bytes, int, int], ...]:
    """Name, type and type modifier of each column of a RowDescription message; ProtocolError as above."""
    found = []
    at = 2
    for _ in read_row_description(payload):
        end = payload.index(b"\x00", at)
        found.append(
            (
                payload[at:end],
                UINT32.unpack_from(payload, end + 7)[0],
                INT32.unpack_from(payload, end + 13)[0],
            )
        )
        at = end + 19
    return tuple(found)


def read_data_row(payload: bytes, codec: str = "utf-8") -> Row:
    """The cells of a DataRow message in text format; ProtocolError when it is not one."""
    cells: list[Cell] = []
    at = 2
    try:
        (count,) = INT16.unpack_from(payload, 0)
        for _ in range(count):
            (length,) = INT32.unpack_from(payload, at)
            at += 4
            if length < 0:
                cells.append(None)
            else:
                cells.append(payload[at : at + length].decode(codec, "replace"))
                at += length
    except StructError:
        raise ProtocolError("the backend sent an invalid DataRow message") from None
    if at != len(payload):
        raise ProtocolError("the backend sent an invalid DataRow message")
    return tuple(cells)


def cancel_request(key: bytes) -> bytes:
    """CancelRequest with the payload of a BackendKeyData: a process, and its secret.

    The secret is 4 bytes in protocol 3.0, up to 256 in 3.2.
    """
    return UINT32.pack(8 + len(key)) + UINT32.pack(CANCEL_REQUEST_CODE) + key
