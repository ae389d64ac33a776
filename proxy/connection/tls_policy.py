"""Which versions and ciphers of TLS are used, the same whatever defaults Python was built with.

Clients get what Mozilla recommends for a general-purpose server ("intermediate" of
https://wiki.mozilla.org/Security/Server_Side_TLS): TLS 1.2 or later, forward secrecy, AEAD. Of old clients
those are served that have ECDHE with CBC and SHA-2, instead of with DHE, which needs parameters. A
backend may be old: towards it holds what libpq accepts, OpenSSL's HIGH from TLS 1.2 on. The security level is
OpenSSL's 2 on both sides (RSA from 2048 bits, no signatures by SHA-1), or the system's where that is higher.
"""

from __future__ import annotations

import ssl
from typing import Final

_BACKEND_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20:HIGH:!aNULL:!aDSS:!PSK:!SRP"
_MIN_SECURITY_LEVEL: Final = 2
_VERSIONS: Final = {"tlsv1.2": ssl.TLSVersion.TLSv1_2, "tlsv1.3": ssl.TLSVersion.TLSv1_3}


def for_clients(ciphers: str, earliest: str) -> ssl.SSLContext:
    """A context towards clients; raises ssl.SSLError where OpenSSL knows none of the ciphers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.options |= ssl.OP_NO_RENEGOTIATION  # which PostgreSQL does not do either
    context.options |= ssl.OP_CIPHER_SERVER_PREFERENCE
    _restrict(context, ciphers, _VERSIONS[earliest])
    return context


def for_backend() -> ssl.SSLContext:
    """A context towards the backend, which verifies certificate and host until the caller changes that."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _restrict(context, _BACKEND_CIPHERS, ssl.TLSVersion.TLSv1_2)
    return context


def _restrict(context: ssl.SSLContext, ciphers: str, earliest: ssl.TLSVersion) -> None:
    context.minimum_version = max(context.minimum_version, earliest)
    context.set_ciphers(f"@SECLEVEL={max(_MIN_SECURITY_LEVEL, context.security_level)}:{ciphers}")
