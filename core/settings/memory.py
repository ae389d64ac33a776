"""The settings of what is remembered: where it is kept, for how long, and who are operators.

Owns: these rows of the table.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import parse_bool, parse_int, parse_roles, parse_text
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CONFIGURATION, OFF_IS_STRICTER

STORE: Final = Setting(
    "store",
    "",
    parse_text,
    "Where askwire keeps history, pins and what it was taught: a file, or a PostgreSQL database that any "
    "number of processes share, as `postgresql://askwire@db.example.com/askwire` (docs/state.md); `memory` "
    "keeps them until the process ends. Empty: a file for each server behind, as "
    "`askwire/db.example.com_5432.sqlite` in the user's state folder; for the demo, its data folder. A "
    "password in the URL is never shown.",
    live=False,
)
STORE_SCHEMA: Final = Setting(
    "store_schema",
    "askwire",
    parse_text,
    "The schema of a PostgreSQL store; PUBLIC gets no privilege on it. Processes that name the same one "
    "share what is kept.",
    live=False,
)
STORE_CONNECTIONS: Final = Setting(
    "store_connections",
    "4",
    parse_int,
    "Connections of this process to a PostgreSQL store, at most; one more listens for what others change.",
    live=False,
)
STORE_QUEUE: Final = Setting(
    "store_queue",
    "5000",
    parse_int,
    "Records that may wait while a PostgreSQL store cannot be written. Beyond that history is lost, and "
    "counted in `askwire_store_lost_total`; feedback and learned words displace history.",
    live=False,
)
SERVER_NAME: Final = Setting(
    "server_name",
    "",
    parse_text,
    "The name of the server under which all of this is kept. Empty: its address, as `db.example.com:5432`. "
    "What was kept under an address is found again after a move where that address is the name; servers of "
    "one name share what is kept.",
    live=False,
)
HISTORY: Final = Setting(
    "history",
    "on",
    parse_bool,
    "Whether each ASK is kept in the history, with its question, its SQL and the steps that led to it.",
    lambda configured, asked: configured and asked,
    strictness=OFF_IS_STRICTER,
)
HISTORY_ROWS: Final = Setting(
    "history_rows",
    "off",
    parse_bool,
    "Whether the history keeps the values of rows on which readings differ, for the console to show. Off: "
    "only how many rows of which tables. Rows of an answer are never kept.",
    lambda configured, asked: configured and asked,
    strictness=OFF_IS_STRICTER,
)
WORKLOAD: Final = Setting(
    "workload",
    "off",
    parse_bool,
    "Whether views and, where pg_stat_statements is installed, the asker's own statements tell how tables "
    "are joined, filtered and measured (docs/workload.md). They are read with the asker's privileges, serve "
    "that role alone, and of statements no literal is kept. A filter that most of them carry is then part of "
    "an answer, which says so.",
    lambda configured, asked: configured and asked,
    strictness=OFF_IS_STRICTER,
)
WORKLOAD_STATEMENTS: Final = Setting(
    "workload_statements",
    "off",
    parse_bool,
    "Whether the queries that a session sends count likewise, as they are relayed; this needs "
    "`workload = on`. Where the operator has given nothing, a session says `SET askwire.workload_statements "
    "= on`, outside of a transaction block. `on`: every session's count, unless it says off. Such a session "
    "is relayed without the compiled part. Kept are patterns without constants, per role, for "
    "`history_days`.",
    lambda configured, asked: configured and asked,
    default_binds=False,
    strictness=OFF_IS_STRICTER,
)
WORKLOAD_LITERALS: Final = Setting(
    "workload_literals",
    "off",
    parse_bool,
    "Whether these patterns keep their constants. They may be data, and "
    "any session of the same role may see them, except where row-level security is in force.",
    strictness=OFF_IS_STRICTER,
)
HISTORY_DAYS: Final = Setting(
    "history_days", "90", parse_int, "Days after which history is deleted. 0: never.", live=False
)
PINS: Final = Setting(
    "pins",
    "on",
    parse_bool,
    "Whether a question that was answered keeps its SQL. Off: every ASK is resolved again.",
    lambda configured, asked: configured and asked,
    strictness=OFF_IS_STRICTER,
)
PIN_DAYS: Final = Setting(
    "pin_days", "180", parse_int, "Days after which an unused pin is deleted. 0: never.", live=False
)
OPERATORS: Final = Setting(
    "operators",
    "",
    parse_roles,
    "Roles that see all rows in `ask.history` and the other relations, and whose feedback counts for all "
    "roles, separated by commas. The login role counts: SET ROLE does not make a session an operator's.",
    strictness=CONFIGURATION,
)

MEMORY_SETTINGS: Final = (
    STORE,
    STORE_SCHEMA,
    STORE_CONNECTIONS,
    STORE_QUEUE,
    SERVER_NAME,
    HISTORY,
    HISTORY_ROWS,
    HISTORY_DAYS,
    WORKLOAD,
    WORKLOAD_STATEMENTS,
    WORKLOAD_LITERALS,
    PINS,
    PIN_DAYS,
    OPERATORS,
)
