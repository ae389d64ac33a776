"""Who is let into the console: a token, the logins made with it, and what a reverse proxy says of a user.

Owns: secrets and their lifetimes; nothing here is ever logged.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import stat
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.core.errors import ConfigurationError
from askwire.core.records import CONSOLE

log = logging.getLogger("askwire.console")

MIN_TOKEN_CHARACTERS: Final = 16
LOGIN_SECONDS: Final = 12 * 3600.0
"""A login lasts that long after it was used last."""
LINK_SECONDS: Final = 15 * 60.0
"""The link of the start lets in once, within that time."""
_MAX_LOGINS: Final = 100
_MAX_NAME_CHARACTERS: Final = 63


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who was let in; `form_key` has to come with everything they change."""

    name: str
    form_key: str

    @property
    def author(self) -> str:
        """Whom their feedback is from."""
        return f"{CONSOLE} {self.name}" if self.name else CONSOLE


class Access:
    """The logins of a process; `clock` tells seconds."""

    def __init__(self, token: str, clock: Callable[[], float]) -> None:
        self._token = _digest(token)
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._logins: OrderedDict[bytes, float] = OrderedDict()
        self._link = secrets.token_urlsafe(24)
        self._link_until = clock() + LINK_SECONDS

    @property
    def link(self) -> str:
        """What lets in once, without the token."""
        return self._link

    def knows(self, token: str) -> bool:
        """Whether this is the token; takes as long for every text."""
        return hmac.compare_digest(_digest(token), self._token)

    def follow(self, link: str) -> bool:
        """Whether this is the link of the start, not followed before and not too old."""
        good = hmac.compare_digest(_digest(link), _digest(self._link)) and self._clock() < self._link_until
        if good:
            self._link_until = 0.0
        return good

    def begin(self) -> str:
        """A new login: the text of its cookie. The oldest ends where there are too many."""
        cookie = secrets.token_urlsafe(32)
        self._logins[_digest(cookie)] = self._clock() + LOGIN_SECONDS
        if len(self._logins) > _MAX_LOGINS:
            self._logins.popitem(last=False)
        return cookie

    def visitor(self, cookie: str) -> Visitor | None:
        """Who a cookie stands for."""
        known = _digest(cookie)
        until = self._logins.get(known, 0.0)
        if self._clock() >= until:
            self._logins.pop(known, None)
            return None
        self._logins[known] = self._clock() + LOGIN_SECONDS
        return Visitor("", self._form_key(known))

    def named(self, name: str) -> Visitor | None:
        """Who a reverse proxy says it is; None for no name at all."""
        said = "".join(c for c in name if c.isprintable()).strip()[:_MAX_NAME_CHARACTERS]
        return Visitor(said, self._form_key(said.encode("utf-8", "replace"))) if said else None

    def bearer(self, token: str) -> Visitor | None:
        """Anyone who sends the token itself with a request; such a one has no forms."""
        return Visitor("", "") if self.knows(token) else None

    def end(self, cookie: str) -> None:
        """Log out."""
        self._logins.pop(_digest(cookie), None)

    def _form_key(self, of: bytes) -> str:
        return hmac.new(self._key, of, hashlib.sha256).hexdigest()


def genuine(visitor: Visitor, form_key: str) -> bool:
    """Whether a form was made for this visitor."""
    return bool(visitor.form_key) and same(form_key, visitor.form_key)


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal; takes as long for every text."""
    return hmac.compare_digest(_digest(one), _digest(other))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def read_token(name: str) -> str:
    """The token in a file, which is made where there is none; a new one for no file.

    Raises ConfigurationError for a file that cannot be used.
    """
    if not name:
        return secrets.token_urlsafe(24)
    path = Path(name).expanduser()
    try:
        try:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            token = path.read_text(encoding="utf-8").partition("\n")[0].strip()
            if path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
                log.warning("all users of this machine can read the token in %s", path)
        else:
            token = secrets.token_urlsafe(24)
            with os.fdopen(made, "w", encoding="utf-8") as file:
                file.write(token + "\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigurationError(f"cannot use the token file {name!r}: {reason}") from None
    if len(token) < MIN_TOKEN_CHARACTERS:
        raise ConfigurationError(
            f"the token in {name!r} is too short",
            hint=f"It needs {MIN_TOKEN_CHARACTERS} characters; remove the file to have one made.",
        )
    return token
