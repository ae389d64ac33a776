"""The records of one TLS connection: bytes in, bytes out, no socket.

Owns: what TLS does, by Python's library, or by the same OpenSSL without it, which a thread can use too
(tls_objects.h). When it is done, and what becomes of the bytes, is `TlsTransport`'s.
"""

from __future__ import annotations

import logging
import ssl
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from askwire.proxy.wire.passage import compiled_tls

if TYPE_CHECKING:
    from askwire._compiled import TlsContext, TlsRecords

log = logging.getLogger("askwire.server")

_MAX_RECORD_BYTES: Final = 16 * 1024
"""Bytes that a record holds at most (RFC 8446, 5.1)."""

CHUNK_BYTES: Final = 4 * _MAX_RECORD_BYTES
"""Bytes to encrypt or to decrypt at once: the memory that they need stays with the connection."""


class Records(Protocol):
    """One end of a TLS connection."""

    @property
    def ended(self) -> bool:
        """Whether the peer has said, by its close_notify, that it sends no more."""

    def shake_hands(self, data: bytes, /) -> bool:
        """Go on with the handshake; True once it is done, and then what followed it waits to be decrypted.

        Raises ssl.SSLError when it fails; `outgoing` tells the peer.
        """

    def decrypt(self, data: bytes | memoryview, /) -> bytes:
        """What has arrived with that, in clear.

        Raises ssl.SSLError for what is no record of the connection: in the next call, where something valid
        precedes it.
        """

    def encrypt(self, data: bytes | bytearray | memoryview, /) -> bytes:
        """Records to send; raises ssl.SSLError."""

    def outgoing(self) -> bytes:
        """What else is to be sent: for the handshake, a renewal of keys, or the end."""

    def end(self) -> None:
        """Say that no more is sent."""

    def application_protocol(self) -> str | None:
        """What both ends agreed to speak (ALPN), None where nothing was said."""


class PythonRecords:
    """As the standard library's ssl does it."""

    __slots__ = ("_failure", "_incoming", "_outgoing", "ended", "ssl_object")

    def __init__(self, context: ssl.SSLContext, *, server_side: bool, hostname: str | None) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.ssl_object = context.wrap_bio(
            self._incoming, self._outgoing, server_side=server_side, server_hostname=hostname
        )
        self.ended = False
        self._failure: ssl.SSLError | None = None

    def shake_hands(self, data: bytes, /) -> bool:
        """Go on with the handshake."""
        self._incoming.write(data)
        try:
            self.ssl_object.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    def decrypt(self, data: bytes | memoryview, /) -> bytes:
        """What has arrived with that, in clear."""
        if self._failure:
            raise self._failure
        incoming, found = self._incoming, []
        incoming.write(data)
        try:
            while incoming.pending and not self.ended:
                found.append(self.ssl_object.read(_MAX_RECORD_BYTES))
                self.ended = not found[-1]
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._failure = error
            if not found:
                raise
        return found[0] if len(found) == 1 else b"".join(found)

    def encrypt(self, data: bytes | bytearray | memoryview, /) -> bytes:
        """Records to send."""
        self.ssl_object.write(data)
        return self._outgoing.read()

    def outgoing(self) -> bytes:
        """What else is to be sent."""
        return self._outgoing.read() if self._outgoing.pending else b""

    def end(self) -> None:
        """Say that no more is sent."""
        with suppress(ssl.SSLError):  # that the peer has not said so too
            self.ssl_object.unwrap()

    def application_protocol(self) -> str | None:
        """What both ends agreed to speak."""
        return self.ssl_object.selected_alpn_protocol()


def lendable_records(records: Records) -> TlsRecords | None:
    """The same, where a thread can use them."""
    compiled = compiled_tls()
    return records if compiled and isinstance(records, compiled[1]) else None


class ServerTls:
    """TLS towards clients: what all their connections share.

    `context` says how it is done. With `compiled`, that is done without Python's library where it can be:
    where Python uses an OpenSSL of the system. The files are those that the context was given.
    """

    def __init__(
        self,
        context: ssl.SSLContext,
        *,
        certificate: str,
        key: str,
        authorities: str | None,
        protocol: str,
        compiled: bool,
    ) -> None:
        self.context = context
        self._compiled: TlsContext | None = None
        if compiled:
            files = certificate, key, authorities
            self._compiled = _like(context, "clients", files, context.options | ssl.OP_NO_TICKET, protocol)

    @property
    def is_compiled(self) -> bool:
        """Whether connections do without Python's library."""
        return self._compiled is not None

    def records(self) -> Records:
        """Those of a new connection."""
        if self._compiled and (types := compiled_tls()):
            return types[1](self._compiled)
        return PythonRecords(self.context, server_side=True, hostname=None)


class BackendTls:
    """TLS towards the server at `host`: what all connections to it share.

    `context` and `compiled` are as for ServerTls. `authorities` is the file that the context was given, None
    where it trusts what the system does.
    """

    def __init__(
        self, context: ssl.SSLContext, host: str, *, authorities: str | None = None, compiled: bool = False
    ) -> None:
        self.context = context
        self._host = host
        self._compiled: TlsContext | None = None
        if compiled:
            files = None, None, authorities
            name = host.encode("idna").decode("ascii")
            self._compiled = _like(context, "the backend", files, context.options, "", name)

    @property
    def is_compiled(self) -> bool:
        """Whether connections do without Python's library."""
        return self._compiled is not None

    def records(self) -> Records:
        """Those of a new connection."""
        if self._compiled and (types := compiled_tls()):
            return types[1](self._compiled)
        return PythonRecords(self.context, server_side=False, hostname=self._host)


def _like(
    context: ssl.SSLContext,
    peers: str,
    files: tuple[str | None, str | None, str | None],
    options: int,
    protocol: str,
    host: str | None = None,
) -> TlsContext | None:
    """One that does as a context does; None where that is left to Python's library, and the log says why.

    `files` are certificate, key and authorities. With a `host` it is a client's.
    """
    try:
        if (types := compiled_tls()) is None:
            raise NotImplementedError("the compiled part is not there")
        return types[0](
            ssl.OPENSSL_VERSION_NUMBER,
            getattr(sys.modules["_ssl"], "__file__", None),
            *files,
            _VERIFY_MODES[context.verify_mode],
            options,
            context.verify_flags,
            context.minimum_version,
            f"@SECLEVEL={context.security_level}:{_names(context, new=False)}",
            _names(context, new=True),
            protocol,
            host,
            context.check_hostname,
        )
    except (NotImplementedError, OSError) as error:
        log.info("TLS with %s is left to Python's library: %s", peers, error)
    return None


_VERIFY_MODES: Final = {ssl.CERT_NONE: 0, ssl.CERT_OPTIONAL: 1, ssl.CERT_REQUIRED: 3}
"""As OpenSSL numbers them: SSL_VERIFY_PEER, and SSL_VERIFY_FAIL_IF_NO_PEER_CERT."""


def _names(context: ssl.SSLContext, *, new: bool) -> str:
    """A context's ciphers: those of TLS 1.3, or of before."""
    ciphers = context.get_ciphers()
    return ":".join(cipher["name"] for cipher in ciphers if (cipher["protocol"] == "TLSv1.3") is new)
