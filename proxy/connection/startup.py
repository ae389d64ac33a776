"""Start-up packets: what a client sends before its first typed message.

Pure; raises NoPacket for what is none. Source: protocol documentation, "Start-up" and
"SSL Session Encryption".
"""

from __future__ import annotations

from dataclasses import dataclass

from askwire.core.errors import ProtocolError
from askwire.proxy.wire.messages import (
    CANCEL_REQUEST_CODE,
    GSSENC_REQUEST_CODE,
    SSL_REQUEST_CODE,
    UINT32,
)

MAX_PACKET_BYTES = 10_004
"""PostgreSQL's own limit on a start-up packet, in bytes: 10,000 behind the length."""


PEER_MARK = b"\0askwire peer\0"
"""Stands behind the key of a cancel request that another askwire passes on."""


class NoPacket(ProtocolError):
    """What cannot be a start-up packet at all: PostgreSQL closes the connection without a word."""


@dataclass(frozen=True, slots=True)
class EncryptionRequest:
    """SSLRequest or GSSENCRequest; both are answered by one bare byte."""

    gss: bool

    @property
    def name(self) -> str:
        """What PostgreSQL's messages call it."""
        return "GSSAPI encryption request" if self.gss else "SSL request"

    @property
    def version(self) -> str:
        """What its code would be as a version of the protocol."""
        return "1234.5680" if self.gss else "1234.5679"


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """CancelRequest: `key` is what BackendKeyData said, a backend and the secret that proves the right.

    `from_peer`: another askwire passes it on (`connection.peers`).
    """

    key: bytes
    from_peer: bool = False


@dataclass(frozen=True, slots=True)
class Startup:
    """StartupMessage, `raw` as it came; of protocols other than 3.x nothing is read (`is_known` is false)."""

    parameters: dict[str, str]
    raw: bytes
    is_known: bool = True

    @property
    def replication(self) -> bool:
        """Whether a replication session is asked for; its commands are not SQL."""
        return self.parameters.get("replication", "").lower() not in ("", "off", "false", "no", "0")


def at_database(startup: Startup, database: str) -> bytes:
    """The same packet, for another database."""
    pairs = {**startup.parameters, "database": database}
    told = b"".join(f"{name}\0{value}\0".encode() for name, value in pairs.items()) + b"\0"
    return UINT32.pack(len(told) + 8) + startup.raw[4:8] + told


def read(buffer: bytes) -> tuple[EncryptionRequest | CancelRequest | Startup, int] | None:
    """The packet at the front of `buffer` and its length, or None while it is incomplete; raises NoPacket."""
    if len(buffer) < 4:
        return None
    (length,) = UINT32.unpack_from(buffer)
    if not 8 <= length <= MAX_PACKET_BYTES:
        raise NoPacket("invalid length of startup packet")
    if len(buffer) < length:
        return None
    raw = buffer[:length]
    (code,) = UINT32.unpack_from(raw, 4)
    if code in (SSL_REQUEST_CODE, GSSENC_REQUEST_CODE):
        return EncryptionRequest(code == GSSENC_REQUEST_CODE), length
    if code == CANCEL_REQUEST_CODE:
        if length < 16:
            raise NoPacket("invalid length of cancel request packet")
        key = raw[8:]
        return CancelRequest(key.removesuffix(PEER_MARK), from_peer=key.endswith(PEER_MARK)), length
    if code >> 16 != 3:
        return Startup({}, raw, is_known=False), length
    parts = raw[8:].split(b"\x00")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    parameters = {k.decode("utf-8", "replace"): v.decode("utf-8", "replace") for k, v in pairs if k}
    return Startup(parameters, raw), length
