"""TLS towards clients, from the certificate and key the operator names, and towards the backend."""

from __future__ import annotations

import ssl

from askwire.core.errors import ConfigurationError
from askwire.core.settings.relay import (
    COMPILED_RELAY,
    SSL_CA_FILE,
    SSL_CERT_FILE,
    SSL_CIPHERS,
    SSL_CLIENT_CERT,
    SSL_KEY_FILE,
    SSL_MIN_PROTOCOL_VERSION,
    SSL_REQUIRED,
)
from askwire.core.settings.table import Settings
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.tls_policy import for_clients
from askwire.proxy.connection.tls_records import BackendTls, ServerTls

ALPN = "postgresql"
"""The protocol's name in TLS; without an SSLRequest in front a client has to say it."""

HANDSHAKE_FIRST_BYTE = 0x16
"""Of a TLS handshake; no start-up packet begins so."""


def client_tls(settings: Settings) -> ServerTls | None:
    """What TLS with clients shares, None when no certificate is configured.

    Raises ConfigurationError when the files cannot be used.
    """
    certificate, key = settings[SSL_CERT_FILE], settings[SSL_KEY_FILE]
    if not certificate:
        if key or settings[SSL_REQUIRED] or settings[SSL_CLIENT_CERT] != "off":
            raise ConfigurationError(
                "TLS is asked for, but no certificate is configured", hint="Set ssl_cert_file."
            )
        return None
    try:
        context = for_clients(settings[SSL_CIPHERS], settings[SSL_MIN_PROTOCOL_VERSION])
    except ssl.SSLError:
        raise ConfigurationError(
            f"OpenSSL knows no cipher of ssl_ciphers {settings[SSL_CIPHERS]!r}"
        ) from None
    try:
        # a key with a passphrase must not stop the start to ask for it on the terminal
        context.load_cert_chain(certificate, key or None, password=_no_passphrase)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"cannot use the TLS certificate {certificate!r}: {getattr(error, 'strerror', None) or error}"
        ) from None
    context.set_alpn_protocols([ALPN])
    if settings[SSL_CLIENT_CERT] != "off":
        _ask_for_certificates(context, settings)
    return ServerTls(
        context,
        certificate=certificate,
        key=key or certificate,
        authorities=settings[SSL_CA_FILE] if context.verify_mode != ssl.CERT_NONE else None,
        protocol=ALPN,
        compiled=settings[COMPILED_RELAY],
    )


def backend_tls(address: BackendAddress, *, compiled: bool = False) -> BackendTls | None:
    """What connections to a server share, None where `sslmode` wants no TLS.

    Raises ConfigurationError when its file of authorities cannot be used.
    """
    context = address.tls_context()
    if context is None:
        return None
    authorities = None if address.sslrootcert == "system" else address.sslrootcert or None
    return BackendTls(context, address.host, authorities=authorities, compiled=compiled)


def demands_tls(settings: Settings) -> bool:
    """Whether a client without encryption is refused."""
    return settings[SSL_REQUIRED] or settings[SSL_CLIENT_CERT] == "require"


def _ask_for_certificates(context: ssl.SSLContext, settings: Settings) -> None:
    authorities = settings[SSL_CA_FILE]
    if not authorities:
        raise ConfigurationError(
            "certificates of clients are asked for, but no authority is configured", hint="Set ssl_ca_file."
        )
    try:
        context.load_verify_locations(authorities)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"cannot use ssl_ca_file {authorities!r}: {getattr(error, 'strerror', None) or error}"
        ) from None
    required = settings[SSL_CLIENT_CERT] == "require"
    context.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL


def _no_passphrase() -> str:
    raise ValueError("the private key has a passphrase")
