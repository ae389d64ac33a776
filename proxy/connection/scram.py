"""The client's half of SCRAM-SHA-256, and the other answers to a server that asks for a password.

Pure: texts and bytes in, texts and bytes out. Source: RFC 5802, RFC 7677, and the protocol documentation,
"SASL Authentication" and "Start-up". Without channel binding.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import stringprep
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from unicodedata import normalize

MECHANISM = "SCRAM-SHA-256"

_HEADER = "n,,"
_MAX_ITERATIONS = 1_000_000
"""A server could otherwise keep a client busy for hours."""


class AuthenticationFailed(Exception):
    """The server's part of the exchange is not what it must be; str() is one phrase."""


class Scram:
    """One exchange: `first()`, then `final(…)` on the server's first message, then `verify(…)`."""

    def __init__(self, password: str, nonce: str = "") -> None:
        self._password = prepared(password)
        self._bare = f"n=,r={nonce or secrets.token_urlsafe(24)}"
        self._signature = b""
        self.verified = False

    def first(self) -> str:
        """The client's first message; PostgreSQL takes the user from the start-up packet."""
        return _HEADER + self._bare

    def final(self, server_first: str) -> str:
        """The client's last message, which proves the password; raises AuthenticationFailed."""
        given = _attributes(server_first)
        nonce = self._bare.partition("r=")[2]
        try:
            salt, iterations = b64decode(given["s"], validate=True), int(given["i"])
            combined = given["r"]
        except (KeyError, ValueError, Base64Error):
            raise AuthenticationFailed("the server's SCRAM message cannot be read") from None
        if not combined.startswith(nonce) or combined == nonce:
            raise AuthenticationFailed("the server's SCRAM message answers another one")
        if not 0 < iterations <= _MAX_ITERATIONS:
            raise AuthenticationFailed("the server asks for too many SCRAM iterations")
        salted = hashlib.pbkdf2_hmac("sha256", self._password.encode(), salt, iterations)
        without_proof = f"c={b64encode(_HEADER.encode()).decode()},r={combined}"
        signed = f"{self._bare},{server_first},{without_proof}".encode()
        key = _hmac(salted, b"Client Key")
        signature = _hmac(hashlib.sha256(key).digest(), signed)
        self._signature = _hmac(_hmac(salted, b"Server Key"), signed)
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        return f"{without_proof},p={b64encode(proof).decode()}"

    def verify(self, server_final: str) -> None:
        """Check that the server knows the password too; raises AuthenticationFailed when it does not."""
        told = _attributes(server_final).get("v", "")
        if not self._signature or not hmac.compare_digest(told.encode(), b64encode(self._signature)):
            raise AuthenticationFailed("the server did not prove that it knows the password")
        self.verified = True


def md5(user: str, password: str, salt: bytes) -> str:
    """The answer to AuthenticationMD5Password."""
    inner = hashlib.md5((password + user).encode(), usedforsecurity=False).hexdigest()
    return "md5" + hashlib.md5(inner.encode() + salt, usedforsecurity=False).hexdigest()


def prepared(password: str) -> str:
    """SASLprep (RFC 4013) as PostgreSQL does it: what it forbids is taken as it is."""
    if password.isascii():
        return password
    mapped = "".join(
        " " if stringprep.in_table_c12(c) else c for c in password if not stringprep.in_table_b1(c)
    )
    found = normalize("NFKC", mapped)
    forbidden = (
        stringprep.in_table_a1,
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
    )
    if not found or any(table(c) for c in found for table in forbidden) or not _reads_one_way(found):
        return password
    return found


def _reads_one_way(text: str) -> bool:
    """The bidirectional rule: with right-to-left characters, nothing else, and they begin and end it."""
    right_to_left = [stringprep.in_table_d1(c) for c in text]
    if not any(right_to_left):
        return True
    return right_to_left[0] and right_to_left[-1] and not any(map(stringprep.in_table_d2, text))


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _attributes(message: str) -> dict[str, str]:
    return {part[:1]: part[2:] for part in message.split(",") if part[1:2] == "="}
