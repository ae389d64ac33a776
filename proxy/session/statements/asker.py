"""Who asks, and with which settings: one statement that reads the asker's session.

Owns: that statement, reading its row, and the settings of this session.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import ConfigurationError, InvalidSetting
from askwire.core.protocols import Batch
from askwire.core.settings.table import TABLE, Settings
from askwire.core.types import SessionState
from askwire.sql.literals import quote_literal

_SETTINGS: Final = tuple(name for name, setting in TABLE.items() if setting.scope == "session")

# One row; every name is qualified, so that nothing on the asker's search_path can stand in for it.
_STATE: Final = (
    "SELECT pg_catalog.json_build_object("
    "'database', pg_catalog.current_database(), "
    "'current_user', current_user, "
    "'session_user', session_user, "
    "'search_path', pg_catalog.current_schemas(true), "
    "'server_version', pg_catalog.current_setting('server_version_num'), "
    "'today', pg_catalog.to_char(pg_catalog.now(), 'YYYY-MM-DD'), "
    "'row_security', pg_catalog.current_setting('row_security'), "
    "'client_min_messages', pg_catalog.current_setting('client_min_messages'), "
    "'settings', pg_catalog.json_build_object("
    + ", ".join(f"'{name}', pg_catalog.current_setting('askwire.{name}', true)" for name in _SETTINGS)
    + ")"
)


@lru_cache(maxsize=64)
def _state(parameters: tuple[str, ...]) -> ReadStatement:
    """The statement that reads the session, and the values of these parameters."""
    values = ", ".join(f"pg_catalog.current_setting({quote_literal(name)}, true)" for name in parameters)
    return ReadStatement(f"{_STATE}, 'parameters', ARRAY[{values}]::pg_catalog.text[])")


@dataclass(frozen=True)
class Asker:
    """The asker's session and the settings in force for it."""

    session: SessionState
    settings: Settings
    hears_notices: bool


def for_this_role(query: str, session: SessionState) -> str:
    """A query that returns nothing where another role or tenant runs it than the one it was made for.

    What a client prepares outlives SET ROLE and SET, and drivers prepare without being asked to.
    """
    return (
        f"SELECT * FROM ({query}) AS told"
        f" WHERE CURRENT_USER OPERATOR(pg_catalog.=) {quote_literal(session.current_user)}::pg_catalog.name"
        f" AND SESSION_USER OPERATOR(pg_catalog.=) {quote_literal(session.session_user)}::pg_catalog.name"
        + "".join(
            f" AND COALESCE(pg_catalog.current_setting({quote_literal(name)}, true), '')"
            f" OPERATOR(pg_catalog.=) {quote_literal(value or '')}"
            for name, value in session.parameters
        )
    )


async def read_asker(
    batch: Batch, settings: Settings, beside: Sequence[ReadStatement] = (), parameters: Sequence[str] = ()
) -> Asker:
    """Read the session on its own connection; `beside` is what will be read next, sent in the same go.

    `parameters` are read with it: those that tell tenants apart (`Catalog.settings`).

    Raises InvalidSetting when an `askwire.*` parameter of the session cannot be read, DatabaseFailed when
    the backend fails.
    """
    wanted = _state(tuple(parameters))
    await read_ahead(batch, (wanted, *beside))
    state = json.loads((await wanted.made(batch)).rows[0][0] or "{}")
    asked = {name: value for name, value in state["settings"].items() if value}
    try:
        tightened = settings.for_session(asked)
    except ConfigurationError as error:
        raise InvalidSetting(
            error.message.replace("setting '", "parameter 'askwire.", 1),
            hint="RESET it, or give another value.",
        ) from None
    session = SessionState(
        database=state["database"],
        current_user=state["current_user"],
        session_user=state["session_user"],
        search_path=tuple(state["search_path"]),
        server_version=int(state["server_version"]),
        today=state["today"],
        row_security=state["row_security"] == "on",
        settings=MappingProxyType(asked),
        parameters=tuple(zip(parameters, state["parameters"], strict=True)),
    )
    return Asker(session, tightened, state["client_min_messages"] not in ("warning", "error"))
