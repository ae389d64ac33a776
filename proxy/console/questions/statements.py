"""Statements of somebody who is signed in, over the wire: rows up to a cap, or all of them batch by batch.

Owns: the messages of one statement in the extended protocol and what its answer is made of.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import ResultColumn, Row
from askwire.proxy.session.statements.conversation import database_error
from askwire.proxy.session.statements.own_connection import OwnConnection
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import COMMAND_COMPLETE, DATA_ROW, ERROR_RESPONSE, READY_FOR_QUERY

MAX_ROW_BYTES: Final = 1 << 20
"""Bytes of a row; longer ones are counted and not held."""
_ROW_DESCRIPTION: Final = ord("T")
_PORTAL_SUSPENDED: Final = ord("s")
_EMPTY_QUERY: Final = ord("I")
_ROWS_PER_EXECUTE: Final = 500

NoticeListener = Callable[[Mapping[str, str]], None]
"""Is given the fields of each NOTICE as it comes."""


@dataclass
class Result:
    """What a statement returned: `more` rows follow, `too_long` were longer than `MAX_ROW_BYTES`."""

    columns: tuple[ResultColumn, ...] = ()
    rows: list[Row] = field(default_factory=list)
    more: bool = False
    too_long: int = 0


async def run(
    connection: OwnConnection, sql: str, told: NoticeListener, *, most: int = 0, most_bytes: int = 0
) -> Result:
    """Up to `most` rows with up to `most_bytes` of text (0: any). Raises DatabaseFailed, BackendGone."""
    fetched = most + 1 if most else 0
    connection.cap_rows(MAX_ROW_BYTES)
    connection.send(_begun(sql) + messages.execute(b"", fetched) + messages.SYNC)
    result, size = Result(), 0
    error: DatabaseFailed | None = None
    while True:
        kind, payload = await connection.receive(lambda notice: told(messages.read_fields(notice)))
        if kind == _ROW_DESCRIPTION:
            result.columns = messages.read_row_description(payload)
        elif kind == DATA_ROW and not payload:
            result.too_long += 1
        elif kind == DATA_ROW:
            size += len(payload)
            if (most and len(result.rows) == most) or (most_bytes and size > most_bytes):
                result.more = True
            else:
                result.rows.append(messages.read_data_row(payload))
        elif kind == ERROR_RESPONSE:
            error = error or database_error(messages.read_fields(payload))
        elif kind == READY_FOR_QUERY:
            if error:
                raise error
            return result


class RowReader:
    """A statement whose rows are read batch by batch; `columns` are known once it has begun."""

    def __init__(self, connection: OwnConnection) -> None:
        self._connection = connection
        self.columns: tuple[ResultColumn, ...] = ()
        self.in_flight = False

    async def begin(self, sql: str) -> None:
        """Send the statement. Raises DatabaseFailed, and BackendGone; `end` has to follow in any case."""
        self._connection.cap_rows(MAX_ROW_BYTES)
        self.in_flight = True
        self._connection.send(_begun(sql) + messages.FLUSH)
        while not self.columns:
            kind, payload = await self._connection.receive()
            if kind == ERROR_RESPONSE:
                self.in_flight = False
                raise database_error(messages.read_fields(payload))
            if kind == _ROW_DESCRIPTION:
                self.columns = messages.read_row_description(payload)
        self.in_flight = False

    async def batches(self) -> AsyncIterator[list[Row]]:
        """All rows. Raises DatabaseFailed for an error and for a row that is too long, and BackendGone."""
        while True:
            self._connection.send(messages.execute(b"", _ROWS_PER_EXECUTE) + messages.FLUSH)
            rows: list[Row] = []
            self.in_flight = True
            while True:
                kind, payload = await self._connection.receive()
                if kind == DATA_ROW:
                    if not payload:
                        raise DatabaseFailed("a row is longer than 1 MB", code="54000")
                    rows.append(messages.read_data_row(payload))
                elif kind == ERROR_RESPONSE:
                    self.in_flight = False
                    raise database_error(messages.read_fields(payload))
                elif kind in (_PORTAL_SUSPENDED, COMMAND_COMPLETE, _EMPTY_QUERY):
                    self.in_flight = False
                    break
            yield rows
            if kind != _PORTAL_SUSPENDED:
                return

    async def end(self) -> None:
        """Have the connection ready for the next statement."""
        self._connection.send(messages.close_portal(b"") + messages.SYNC)
        while (await self._connection.receive())[0] != READY_FOR_QUERY:
            pass


def _begun(sql: str) -> bytes:
    """Up to the description of what the statement returns."""
    return messages.parse(b"", sql.encode()) + messages.bind(b"", b"") + messages.describe_portal(b"")
