"""The admin database on the wire: a client that is logged in, from its messages to their answers.

Owns: the simple and the extended protocol over `admin.carry_out`. There are no transactions: the status is
always idle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Final

from askwire.core.errors import ProtocolError
from askwire.proxy.operations.admin import AdminError, Answer, Kind, ServerStatus, Value, carry_out, split
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import INT16, INT32, UINT32
from askwire.proxy.wire.walker import FrameReader

LONGEST_MESSAGE: Final = 64 * 1024

_TYPES: Final[Mapping[Kind, tuple[int, int]]] = {"text": (25, -1), "bigint": (20, 8), "double": (701, 8)}
"""The oid and the size of each kind of column."""
_BINARY: Final = {"bigint": Struct("!q"), "double": Struct("!d")}
_COLUMN: Final = Struct("!IhIhih")
_READY: Final = messages.frame(b"Z", b"I")
_PARSE_COMPLETE: Final = messages.frame(b"1", b"")
_BIND_COMPLETE: Final = messages.frame(b"2", b"")
_CLOSE_COMPLETE: Final = messages.frame(b"3", b"")
_NO_DATA: Final = messages.frame(b"n", b"")
_NO_PARAMETERS: Final = messages.frame(b"t", INT16.pack(0))
_EMPTY_QUERY: Final = messages.frame(b"I", b"")


@dataclass
class _Portal:
    statement: str
    formats: tuple[int, ...]
    answer: Answer | None = None


class AdminWire:
    """One client at the admin database; `write` gets what it is sent, `goodbye` is called when it leaves."""

    def __init__(
        self, status: ServerStatus, write: Callable[[bytes], None], goodbye: Callable[[], None]
    ) -> None:
        self._status = status
        self._write = write
        self._goodbye = goodbye
        self._reader = FrameReader(LONGEST_MESSAGE)
        self._statements: dict[bytes, str] = {}
        self._portals: dict[bytes, _Portal] = {}
        self._skipping = False

    @property
    def alone(self) -> bool:
        """Whether there is no other process to ask before each answer."""
        return self._status.alone

    async def refresh(self) -> None:
        """Ask the other processes what they serve."""
        await self._status.refresh()

    def feed(self, data: bytes) -> None:
        """Take the client's bytes; raises ProtocolError for what is no protocol."""
        for kind, payload in self._reader.feed(data):
            self._take(bytes((kind,)), payload)
        if len(self._reader.rest()) > LONGEST_MESSAGE:
            raise ProtocolError("a message to the admin database is too long")

    def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == b"X":
            self._goodbye()
        elif kind == b"S":
            self._skipping = False
            self._portals.clear()
            self._write(_READY)
        elif kind == b"Q":
            self._query(messages.read_query(payload).decode("utf-8", "replace"))
        elif kind == b"H" or self._skipping:
            pass
        else:
            try:
                self._take_extended(kind, payload)
            except AdminError as error:
                self._skipping = True
                self._write(_error(error))

    def _take_extended(self, kind: bytes, payload: bytes) -> None:
        match kind:
            case b"P":
                self._parse(payload)
            case b"B":
                self._bind(payload)
            case b"D":
                self._describe(payload)
            case b"E":
                self._execute(payload)
            case b"C":
                self._close(payload)
            case _:
                raise ProtocolError(f"invalid frontend message type {kind[0]}")

    def _query(self, text: str) -> None:
        statements = split(text)
        if not statements:
            self._write(_EMPTY_QUERY)
        try:
            for statement in statements:
                answer = carry_out(statement, self._status)
                if answer.columns:
                    self._write(_description(answer, ()))
                self._write(_rows(answer, ()))
        except AdminError as error:
            self._write(_error(error))
        self._write(_READY)

    # -- the extended protocol

    def _parse(self, payload: bytes) -> None:
        parsed = messages.read_parse(payload)
        statements = split(parsed.sql.decode("utf-8", "replace"))
        if len(statements) > 1:
            raise AdminError("42601", "cannot insert multiple commands into a prepared statement")
        self._statements[parsed.name] = statements[0] if statements else ""
        self._write(_PARSE_COMPLETE)

    def _bind(self, payload: bytes) -> None:
        bound = messages.read_bind(payload)
        if bound.values:
            raise AdminError("08P01", "commands of the admin database have no parameters")
        self._portals[bound.portal] = _Portal(self._statement(bound.statement), _formats(payload))
        self._write(_BIND_COMPLETE)

    def _describe(self, payload: bytes) -> None:
        name = payload[1:].rstrip(b"\0")
        if payload[:1] == b"S":
            # what acts is carried out once, by Execute
            self._write(_NO_PARAMETERS)
            statement = self._statement(name)
            formats: tuple[int, ...] = ()
            answer = carry_out(statement, self._status) if _only_shows(statement) else Answer("")
        else:
            portal = self._portal(name)
            formats = portal.formats
            answer = self._answer(portal) if _only_shows(portal.statement) else Answer("")
        self._write(_description(answer, formats) if answer.columns else _NO_DATA)

    def _execute(self, payload: bytes) -> None:
        portal = self._portal(messages.first_name(payload))
        answer = self._answer(portal)
        if not _only_shows(portal.statement):
            answer = Answer(answer.tag)
        self._write(_rows(answer, portal.formats))

    def _close(self, payload: bytes) -> None:
        name = payload[1:].rstrip(b"\0")
        if payload[:1] == b"S":
            self._statements.pop(name, None)
        else:
            self._portals.pop(name, None)
        self._write(_CLOSE_COMPLETE)

    def _statement(self, name: bytes) -> str:
        if name not in self._statements:
            raise AdminError(
                "26000", f'prepared statement "{name.decode("utf-8", "replace")}" does not exist'
            )
        return self._statements[name]

    def _portal(self, name: bytes) -> _Portal:
        if name not in self._portals:
            raise AdminError("34000", f'portal "{name.decode("utf-8", "replace")}" does not exist')
        return self._portals[name]

    def _answer(self, portal: _Portal) -> Answer:
        if portal.answer is None:
            portal.answer = carry_out(portal.statement, self._status)
        return portal.answer


def _only_shows(statement: str) -> bool:
    return statement.lstrip().lower().startswith("show")


def _formats(payload: bytes) -> tuple[int, ...]:
    """The result formats of a Bind message without parameters."""
    portal = messages.first_name(payload)
    at = len(portal) + 1 + len(messages.first_name(payload, len(portal) + 1)) + 1
    try:
        (codes,) = INT16.unpack_from(payload, at)
        at += 2 + 2 * codes + 2
        (count,) = INT16.unpack_from(payload, at)
        return tuple(INT16.unpack_from(payload, at + 2 + 2 * n)[0] for n in range(count))
    except StructError:
        raise ProtocolError("invalid Bind message") from None


def _format_of(number: int, formats: tuple[int, ...]) -> int:
    if len(formats) == 1:
        return formats[0]
    return formats[number] if number < len(formats) else 0


def _description(answer: Answer, formats: tuple[int, ...]) -> bytes:
    fields = []
    for number, (name, kind) in enumerate(answer.columns):
        oid, size = _TYPES[kind]
        fields.append(name.encode() + b"\0" + _COLUMN.pack(0, 0, oid, size, -1, _format_of(number, formats)))
    return messages.frame(b"T", INT16.pack(len(fields)) + b"".join(fields))


def _rows(answer: Answer, formats: tuple[int, ...]) -> bytes:
    if not answer.tag:
        return _EMPTY_QUERY
    parts = []
    for row in answer.rows:
        cells = [
            _cell(value, _BINARY.get(kind) if _format_of(number, formats) == 1 else None)
            for number, (value, (_, kind)) in enumerate(zip(row, answer.columns, strict=True))
        ]
        parts.append(messages.frame(b"D", INT16.pack(len(cells)) + b"".join(cells)))
    parts.append(messages.frame(b"C", answer.tag.encode() + b"\0"))
    return b"".join(parts)


def _cell(value: Value, binary: Struct | None) -> bytes:
    if value is None:
        return INT32.pack(-1)
    data = binary.pack(value) if binary else str(value).encode("utf-8", "replace")
    return UINT32.pack(len(data)) + data


def _error(error: AdminError) -> bytes:
    fields = {"S": "ERROR", "V": "ERROR", "C": error.sqlstate, "M": error.message, "H": error.hint}
    return messages.error_response(fields)
