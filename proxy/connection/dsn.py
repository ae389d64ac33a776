"""Where the backend is: reading a libpq connection string or URI.

A backend's address is host, port and the TLS parameters: behind the proxy, user, password and database are
the client's own, and whatever a DSN says of them is ignored. `read_parameters` gives them to commands that
log in themselves.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import parse_qsl, unquote, urlsplit

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.tls_policy import for_backend

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


@dataclass(frozen=True, slots=True)
class BackendAddress:
    """A PostgreSQL server. `host` is a name, an address, or (with a leading '/') a socket directory.

    With `hostaddr`, an IP address, that is connected to, and `host` only names what a certificate must.
    `sslmode` and `sslrootcert` mean what they mean to libpq; unix sockets never use TLS.
    """

    host: str
    port: int = 5432
    sslmode: str = "prefer"
    sslrootcert: str = ""
    hostaddr: str = ""

    @property
    def endpoint(self) -> str:
        """What TCP connects to: a name or an address."""
        return self.hostaddr or self.host

    @property
    def unix_socket(self) -> str:
        """The socket's path, or '' for TCP."""
        return f"{self.host}/.s.PGSQL.{self.port}" if self.host.startswith("/") else ""

    def __str__(self) -> str:
        return self.unix_socket or (
            f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        )

    def other_way(self, *, encrypted: bool) -> BackendAddress | None:
        """Where to ask again when the server refuses before it has asked for anything, as libpq does.

        `prefer` goes on without TLS, and `allow` with; None for the other modes, or where that was tried.
        """
        if self.sslmode == "prefer" and encrypted:
            return replace(self, sslmode="disable")
        if self.sslmode == "allow" and not encrypted and not self.unix_socket:
            return replace(self, sslmode="require")
        return None

    def tls_context(self) -> ssl.SSLContext | None:
        """The context for a TLS leg to this server, None when TLS is not wanted."""
        if self.unix_socket or self.sslmode in ("disable", "allow"):
            return None
        context = for_backend()
        context.check_hostname = self.sslmode == "verify-full"
        if self.sslmode not in ("verify-ca", "verify-full") and not self.sslrootcert:
            context.verify_mode = ssl.CERT_NONE
        elif self.sslrootcert in ("", "system"):
            context.load_default_certs()
        else:
            try:
                context.load_verify_locations(self.sslrootcert)
            except OSError as error:
                raise ConfigurationError(
                    f"cannot read sslrootcert {self.sslrootcert!r}: {error.strerror or error}"
                ) from None
        return context


def parse_dsn(dsn: str) -> BackendAddress:
    """Read `host=… port=…` or `postgresql://host:port/…`; ConfigurationError says what is wrong with it."""
    text = dsn.strip()
    if not text:
        raise ConfigurationError(
            "no backend is configured", hint='Say where PostgreSQL is: --dsn "host=127.0.0.1 port=5432".'
        )
    given = read_parameters(text)
    try:
        return _address(given)
    except ValueError as error:
        raise _unreadable(error) from None


def read_parameters(dsn: str) -> dict[str, str]:
    """Every parameter of a DSN by libpq's name for it, user, password and database included.

    Raises ConfigurationError where the DSN is malformed; values are not judged.
    """
    text = dsn.strip()
    try:
        return _parse_uri(text) if "://" in text else _parse_keywords(text)
    except ValueError as error:
        raise _unreadable(error) from None


def _unreadable(error: ValueError) -> ConfigurationError:
    """The DSN itself may hold a password: it is never repeated."""
    return ConfigurationError(f"the DSN cannot be read: {error}")


def _address(given: Mapping[str, str]) -> BackendAddress:
    host, hostaddr = given.get("host", ""), given.get("hostaddr", "")
    if "," in host + hostaddr:
        raise ValueError("one host is supported, several were given")
    if hostaddr and (not host or host.startswith("/")):
        host, hostaddr = _numeric(hostaddr), ""
    port = given.get("port") or "5432"
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError("port is not a number from 1 to 65535")
    mode = given.get("sslmode") or "prefer"
    if mode not in SSL_MODES:
        raise ValueError(f"sslmode is none of {', '.join(SSL_MODES)}")
    return BackendAddress(
        _resolvable(host or "localhost"),
        int(port),
        mode,
        given.get("sslrootcert", ""),
        hostaddr and _numeric(hostaddr),
    )


def _numeric(hostaddr: str) -> str:
    try:
        ip_address(hostaddr)
    except ValueError:
        raise ValueError("hostaddr is not an IP address") from None
    return hostaddr


def _resolvable(host: str) -> str:
    """The host, if it can be looked up at all: what the resolver cannot encode fails at each connection."""
    try:
        if not host.startswith("/"):
            host.encode("idna")
    except UnicodeError:
        raise ValueError("host is not a host name") from None
    if "\0" in host:
        raise ValueError("host is not a host name")
    return host


def _parse_uri(text: str) -> dict[str, str]:
    try:
        parts = urlsplit(text)
    except ValueError:  # its text quotes the URI
        raise ValueError("it is not a valid URI") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError("the URI scheme is not postgresql")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    login, _, location = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    if location.startswith("["):
        host, _, rest = location[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = location.partition(":")
    if host:
        given["host"] = unquote(host)
    if port:
        given["port"] = port
    named = {"user": user, "password": password, "dbname": parts.path.removeprefix("/")}
    given |= {name: unquote(value) for name, value in named.items() if value}
    return given


def _parse_keywords(text: str) -> dict[str, str]:
    """Pairs `keyword = value`; values may be quoted, a backslash escapes (libpq, "Connection Strings")."""
    given: dict[str, str] = {}
    at, size = 0, len(text)
    while True:
        while at < size and text[at].isspace():
            at += 1
        if at == size:
            return given
        equals = text.find("=", at)
        if equals < 0:
            raise ValueError("expected keyword=value pairs")
        keyword = text[at:equals].strip()
        if not keyword.isidentifier():
            raise ValueError("expected keyword=value pairs")
        at = equals + 1
        while at < size and text[at].isspace():
            at += 1
        value, at = _keyword_value(text, at)
        given[keyword] = value


def _keyword_value(text: str, at: int) -> tuple[str, int]:
    quoted = text[at : at + 1] == "'"
    if quoted:
        at += 1
    value: list[str] = []
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            value.append(text[at + 1])
            at += 2
            continue
        if quoted and char == "'":
            return "".join(value), at + 1
        if not quoted and char.isspace():
            return "".join(value), at
        value.append(char)
        at += 1
    if quoted:
        raise ValueError("a quoted value is not closed")
    return "".join(value), at
