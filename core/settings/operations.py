"""The settings of operations: the form of the log, and who may use the admin database.

Owns: these rows of the table.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import one_of, parse_roles, parse_text
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CONFIGURATION, neutral

LOG_FORMAT: Final = Setting(
    "log_format",
    "text",
    one_of("text", "json"),
    "Whether the log has a line of text or a JSON object per record. Both name the session and the ASK.",
    strictness=neutral("it chooses the form of a line, not what the line says"),
)
ADMIN_ROLES: Final = Setting(
    "admin_roles",
    "",
    parse_roles,
    "Roles that may use the admin database, separated by commas; empty: there is none. Who logs in proves "
    "it to PostgreSQL, as anywhere.",
    strictness=CONFIGURATION,
)
ADMIN_DATABASE: Final = Setting(
    "admin_database",
    "askwire",
    parse_text,
    "The name of the admin database: SHOW, RELOAD and KILL there, in psql or any driver. A database of that "
    "name on the server is out of reach while `admin_roles` names a role.",
    strictness=CONFIGURATION,
)
ADMIN_LOGIN_DATABASE: Final = Setting(
    "admin_login_database",
    "postgres",
    parse_text,
    "The database of the server that log-ins to the admin database are proved in.",
    strictness=CONFIGURATION,
)

OPERATIONS_SETTINGS: Final = (LOG_FORMAT, ADMIN_ROLES, ADMIN_DATABASE, ADMIN_LOGIN_DATABASE)
