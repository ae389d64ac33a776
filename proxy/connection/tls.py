"""TLS towards clients, from the certificate and key the operator names."""

from __future__ import annotations

import ssl

from askwire.core.errors import ConfigurationError
from askwire.core.settings import SSL_CERT_FILE, SSL_KEY_FILE, SSL_REQUIRED, Settings


def client_context(settings: Settings) -> ssl.SSLContext | None:
    """The server-side context, None when no certificate is configured.

    Raises ConfigurationError when the files cannot be used.
    """
    certificate, key = settings[SSL_CERT_FILE], settings[SSL_KEY_FILE]
    if not certificate:
        if key or settings[SSL_REQUIRED]:
            raise ConfigurationError(
                "TLS is asked for, but no certificate is configured", hint="Set ssl_cert_file."
            )
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # a key with a passphrase must not stop the start to ask for it on the terminal
        context.load_cert_chain(certificate, key or None, password=_no_passphrase)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"cannot use the TLS certificate {certificate!r}: {getattr(error, 'strerror', None) or error}"
        ) from None
    return context


def _no_passphrase() -> str:
    raise ValueError("the private key has a passphrase")
