"""A database of a test's own, and the roles of the server it lives on."""

from __future__ import annotations

from dataclasses import dataclass

TRUSTED = "postgres"
"""The superuser of tests; comes in without a password."""

PASSWORD_ROLES = {"by_password": "password", "by_md5": "md5", "by_scram": "scram-sha-256"}
"""Roles that come in with `secret of <role>`, by the authentication method of pg_hba.conf."""


@dataclass(frozen=True, slots=True)
class Database:
    """An empty database, reached directly or (with another port) through a proxy."""

    name: str
    port: int

    def dsn(self, role: str = TRUSTED) -> str:
        """Where to reach it, as a role that exists on the session's server."""
        password = "" if role == TRUSTED else f":secret%20of%20{role}"
        return f"postgresql://{role}{password}@127.0.0.1:{self.port}/{self.name}"
