"""TLS with a client: behind an SSLRequest, or directly.

Owns: one handshake, and what is asked of a direct one.
"""

from __future__ import annotations

from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.tls import ALPN, HANDSHAKE_FIRST_BYTE
from askwire.proxy.connection.tls_records import Records

_HANDSHAKE_START = bytes((HANDSHAKE_FIRST_BYTE,))


def is_direct(buffer: bytes, client: Side) -> bool:
    """Whether a client began its handshake without a request in front, as those of PostgreSQL 17 can."""
    return buffer[:1] == _HANDSHAKE_START and not client.encrypted


async def encrypt(client: Side, records: Records, begun: bytes) -> str:
    """Start TLS; what is wrong with the client's handshake, or ''.

    `begun` are the first bytes of a direct one, in which the client has to name the protocol: what it speaks
    could be another one's words else.
    """
    first = b"" if begun else b"S"
    try:
        await client.upgrade(records, first=first, begun=begun)
    except OSError as error:
        return str(error) or type(error).__name__
    if begun and client.application_protocol != ALPN:
        return "it is direct and does not name the protocol (ALPN)"
    return ""
