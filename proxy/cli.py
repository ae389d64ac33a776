"""The command `askwire`: reading arguments and running what they name.

Owns: the grammar of the command line, the exit status, and that a user's mistake is one line on stderr.
What commands need is imported when they run, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from askwire.core.errors import AskwireError, ConfigurationError
from askwire.core.failures import reason
from askwire.core.version import VERSION
from askwire.proxy.command_parser import CommandParser

if TYPE_CHECKING:
    from askwire.proxy.console.console import Door

_DESCRIPTION = """\
askwire runs in front of a PostgreSQL server and speaks its protocol. Connect any SQL client to it: everything
works as before, and ASK 'question' returns the answer's rows.
"""

_SERVE = """\
Serve in front of a PostgreSQL server until Ctrl-C or SIGTERM. Clients log in with the server's own users and
passwords; askwire stores none.
"""

_DEMO = """\
Start a PostgreSQL with a sample shop, and askwire in front of it, until Ctrl-C or SIGTERM. Every user of
this machine can connect as role postgres without a password; the role is not a superuser there.
"""

_CHECK = """\
Connect to a PostgreSQL server through askwire and report what works: TLS and log-in, channel binding,
prepared statements, cancel requests, COPY, read-only probes, extensions, and optional parts installed here.
Nothing is changed on the server.
"""

_CHECK_MORE = """\
The DSN is libpq's, and so are the variables PGHOST, PGUSER, PGPASSWORD, … and ~/.pgpass. Settings are read as
`serve` reads them, so the TLS of a configured askwire is checked too.

exit status: 0  everything works (lines marked `note` are worth knowing)
             1  something does not work: lines marked `no`
             2  the server cannot be reached or refuses the log-in, or an argument is wrong
"""

_SEPARATE = """\
Find a few of your own rows for which two queries give different results, without changing anything: each
statement is read-only and takes a second at most. Prints the rows with both results, and says whether each
row is needed.

Use it when two queries should agree and do not, or agree today and may not tomorrow.
"""

_SEPARATE_MORE = """\
The DSN is libpq's, and so are the variables PGHOST, PGUSER, PGPASSWORD, … and ~/.pgpass. User-defined
functions are refused, because what they read cannot be traced.

exit status: 0  rows were found, for each two of the queries
             1  none: the queries agree on your data, differ only in the order of tied rows, or time ran out
             2  a query, an argument or the server is wrong; one line on stderr says which

example:
  %(prog)s --dsn postgresql://me@localhost/shop \\
      "SELECT count(*) FROM orders WHERE total >= 100" "SELECT count(*) FROM orders WHERE total > 100"
"""

_LOCK = """\
Ask every question of a file and write the answers' SQL into one file to review and commit, with the rejected
readings and rows of the database for which they give other results. With --check, ask again and report what
has changed: a migration or new data may change an answer's SQL, or the result of a rejected reading.
"""

_LOCK_MORE = """\
A line of QUESTIONS is a question, or a whole ASK with options: ASK (EVIDENCE 'big: over 1000') 'how many big
orders?'. Empty lines and lines that begin with # are ignored. The DSN is libpq's; its role asks, read-only,
on a connection of this command. Nothing is pinned or kept in the history; words of the glossary count.

exit status: 0  written, or nothing has changed
             1  --check found differences
             2  a file, an argument or the server is wrong; one line on stderr says which

example:
  %(prog)s questions.txt --dsn postgresql://me@localhost/shop
  %(prog)s --check --dsn postgresql://ci@localhost/shop
"""

_STORE = """\
Export or import what askwire keeps (history, pins, feedback, glossary, weights) as JSON Lines: one record per
line, on standard output or from standard input.

  ASKWIRE_BACKEND=postgresql://db.example.com:5432 %(prog)s export > state.jsonl
  %(prog)s import --store /srv/askwire/store.sqlite < state.jsonl

Each PostgreSQL server has its own store, by default a file in the user's state folder; --store and
ASKWIRE_STORE name another, which may be a PostgreSQL database that several processes share. Put a password
into ASKWIRE_STORE, PGPASSWORD or ~/.pgpass: any user of the machine can read a command line.

  ASKWIRE_STORE=postgresql://askwire_owner@db.example.com/askwire %(prog)s migrate --login askwire

makes the schema as its owner, or upgrades it, and lets askwire log in as a role that owns nothing.
--login ROLE=SERVER restricts that role to the records of one server. Such a role drops no history younger
than history_days, as this command finds it (askwire.toml, ASKWIRE_HISTORY_DAYS); run it again after a change.

An export can run beside a server. An imported record replaces the one with its key; a running server with a
file may use the older one until it is restarted.
"""

_MOCK_MODEL = """\
A model server on 127.0.0.1 that answers from a file, until Ctrl-C: to try askwire with a model, or with one
that fails, without having any. It implements the part of OpenAI's API that askwire uses.
"""

_MOCK_MODEL_MORE = """\
A scenario is a TOML list of answers. The first whose match (a regular expression) occurs in the prompt, and
that has uses left, is given:

  [[answers]]
  match = "how many orders"
  text = '{"sql": "SELECT count(*) FROM orders"}'
  times = 1              # how often; 0 or left out: always

  [[answers]]
  status = 429           # an error
  retry_after = 1        # seconds
  delay = "2s"           # before the first byte

Further fields: refusal = "text", raw = "the whole body", cut = true (the connection ends in the middle of the
body), usage = false (tokens are not counted), finish = "length" (the finish_reason), form = "json_schema"
(only where the request asks for that form; a regular expression as well).

example:
  %(prog)s --scenario scenario.toml --port 8081
  ASKWIRE_EXPERT_MOCK_URL=http://127.0.0.1:8081/v1 ASKWIRE_EXPERT_MOCK_MODEL=mock askwire demo
"""

_SETTINGS = """\
Settings come from askwire.toml (in the current folder, or named with --config), then from the environment
(ASKWIRE_TIMEOUT=20s), then from the command line; the last one wins. docs/configuration.md lists them all.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command the arguments name; returns its exit status, or 2 with one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["psql"]:
            _psql(words[1:])  # not argparse's: every argument is psql's own, -h and --help included
        chosen = command_parser().parse_args(words)
        if chosen.command == "demo":
            _demo(chosen)
        elif chosen.command == "check":
            return _check(chosen)
        elif chosen.command == "separate":
            return _separate(chosen)
        elif chosen.command == "lock":
            return _lock(chosen)
        elif chosen.command == "store":
            _store(chosen)
        elif chosen.command == "mock-model":
            _mock_model(chosen)
        else:
            return _serve(chosen)
    except AskwireError as error:
        sentence = f"{error.message}. {error.hint}" if error.hint else error.message
        sys.stderr.write(f"askwire: {' '.join(sentence.split())}\n")
        return 2
    except BrokenPipeError:
        # The reader of the output (head, less) has closed it. Python would fail again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 130
    return 0


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = CommandParser(
        prog=_called(), description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"askwire {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    serve = commands.add_parser(
        "serve",
        help="run in front of a PostgreSQL server",
        description=_SERVE,
        epilog=_SETTINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    serve.add_argument(
        "--dsn",
        help="where PostgreSQL is: postgresql://host:port or 'host=… port=…', with sslmode and sslrootcert "
        "if wanted; users and passwords in it are not used",
    )
    serve.add_argument(
        "--listen",
        metavar="PLACE",
        help="where clients connect: host:port or a unix socket's path (127.0.0.1:6432)",
    )
    serve.add_argument("--config", metavar="FILE", type=Path, help="a file of settings (askwire.toml)")

    demo = commands.add_parser(
        "demo",
        help="try it on a sample database",
        description=_DEMO,
        epilog=_SETTINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    demo.add_argument("--port", type=_port, default=6432, help="where clients connect on 127.0.0.1 (6432)")
    demo.add_argument(
        "--data",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="your own files instead of the sample: CSV, JSON, Parquet, Excel, SQLite, DuckDB, Arrow, SQL "
        "scripts or pg_dump archives, also packed; folders and patterns too",
    )
    demo.add_argument(
        "--keep",
        metavar="NAME",
        default="",
        help="keep the tables under this name; a later --keep NAME opens them",
    )
    demo.add_argument(
        "--watch", action="store_true", help="load a file again when it changes, while the demo runs"
    )
    demo.add_argument(
        "--encoding",
        metavar="NAME",
        default="",
        help="the encoding of text files that are not UTF-8 (detected)",
    )
    demo.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        help="a folder to keep the database in (in the user's cache)",
    )
    demo.add_argument(
        "--sample-sql",
        metavar="FILE",
        type=Path,
        help="a script for psql to load into database shop instead of the sample",
    )
    separate = commands.add_parser(
        "separate",
        help="find rows for which queries give different results",
        description=_SEPARATE,
        epilog=_SEPARATE_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    separate.add_argument("queries", metavar="QUERY", nargs=2, help="a SELECT; two of them")
    separate.add_argument("more", metavar="QUERY", nargs="*", help="more queries, compared on the same rows")
    separate.add_argument("--dsn", default="", help="the database: postgresql://user@host/database")
    separate.add_argument("--search-path", metavar="SCHEMAS", default="", help="as in SET search_path TO …")
    separate.add_argument(
        "--format",
        choices=("text", "json", "sql"),
        default="text",
        help="for reading (text), for programs, or as a script that shows it in an empty database (sql)",
    )
    separate.add_argument(
        "--masked", action="store_true", help="show values as shapes (Xxxx, 9999), to show the rows to others"
    )
    separate.add_argument(
        "--save",
        metavar="FILE",
        default="",
        help="write the rows and queries to a new .duckdb file, .zip file or folder, which shows the "
        "difference without the database",
    )
    separate.add_argument(
        "--timeout", metavar="TIME", type=_duration, default=10_000, help="when to give up: 500ms, 1min (10s)"
    )
    lock = commands.add_parser(
        "lock",
        help="write the SQL of questions to a file, and report when it changes",
        description=_LOCK,
        epilog=_LOCK_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    lock.add_argument(
        "questions", metavar="QUESTIONS", nargs="?", type=Path, help="a file with a question on each line"
    )
    lock.add_argument("--check", action="store_true", help="compare the lock with the database instead")
    lock.add_argument(
        "--file", metavar="FILE", type=Path, default=Path("askwire.lock"), help="the lock (askwire.lock)"
    )
    lock.add_argument("--dsn", default="", help="the database: postgresql://user@host/database")
    lock.add_argument("--search-path", metavar="SCHEMAS", default="", help="as in SET search_path TO …")
    lock.add_argument("--config", metavar="FILE", type=Path, help="settings and experts (askwire.toml)")
    lock.add_argument(
        "--no-rows", dest="rows", action="store_false", help="write no rows of the database into the lock"
    )
    store = commands.add_parser(
        "store",
        help="export or import what askwire remembers",
        description=_STORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    store.add_argument(
        "direction",
        choices=("export", "import", "migrate"),
        help="out of the store, or into it; or make the schema of a PostgreSQL database",
    )
    store.add_argument(
        "--store",
        metavar="PLACE",
        default="",
        help="the store's file, or postgresql://… (the one of the setting `store`)",
    )
    store.add_argument(
        "--login",
        metavar="ROLE[=SERVER]",
        action="append",
        default=[],
        help="migrate: a role that askwire logs in as, for all servers or the one of that name",
    )
    store.add_argument(
        "--askers",
        metavar="ROLE",
        action="append",
        default=[],
        help="migrate: a role that may read its own history in the view own_history",
    )
    store.add_argument(
        "--operators",
        metavar="ROLE",
        action="append",
        default=[],
        help="migrate: a role that may read all history in the view operator_history",
    )
    mock = commands.add_parser(
        "mock-model",
        help="a model server that answers from a file",
        description=_MOCK_MODEL,
        epilog=_MOCK_MODEL_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mock.add_argument("--scenario", metavar="FILE", type=Path, required=True, help="the file of answers")
    mock.add_argument("--port", type=_port, default=0, help="the port on 127.0.0.1 (any free port)")
    check = commands.add_parser(
        "check",
        help="report what works with a PostgreSQL server",
        description=_CHECK,
        epilog=_CHECK_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("--dsn", help="the server, and who logs in: postgresql://me@host/database")
    check.add_argument("--config", metavar="FILE", type=Path, help="a file of settings (askwire.toml)")
    for command in (serve, demo, check):
        command.add_argument(
            "--set",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            type=_assignment,
            dest="given",
            help="one setting; may be repeated",
        )
    # For the list in --help; `main` hands its arguments on as they are.
    commands.add_parser("psql", help="open psql on the demo; arguments are psql's own", add_help=False)
    return parser


def _called() -> str:
    """How the user called this program: the script at the root of a checkout says so."""
    return os.environ.get("ASKWIRE_COMMAND") or "askwire"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, expected 0 (any free port) to 65535")
    return int(text)


def _duration(text: str) -> int:
    from askwire.core.settings.parsing import parse_duration  # noqa: PLC0415

    try:
        milliseconds = parse_duration(text)
    except ValueError:
        milliseconds = 0
    if milliseconds < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration, expected one like 500ms, 10s or 2min")
    return milliseconds


def _assignment(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text!r} has no '=', expected name=value")
    return name.strip(), value.strip()


def _demo(chosen: argparse.Namespace) -> None:
    from askwire.proxy.demo import demo  # noqa: PLC0415
    from askwire.proxy.demo.own_files import OwnFiles  # noqa: PLC0415

    paths = tuple(chosen.data)
    if chosen.sample_sql is not None and (paths or chosen.keep):
        raise ConfigurationError(
            "--sample-sql and --data (or --keep) cannot be used together",
            hint="Name the script with --data.",
        )
    if not paths and not chosen.keep and (chosen.watch or chosen.encoding):
        raise ConfigurationError("there are no files to load", hint="Name them with --data.")
    demo.run(
        demo.Demo(
            port=chosen.port,
            folder=chosen.folder,
            own=OwnFiles(paths, chosen.keep, chosen.watch, chosen.encoding) if paths or chosen.keep else None,
            sample_sql=chosen.sample_sql,
            given=dict(chosen.given),
            command=_called(),
        )
    )


def _serve(chosen: argparse.Namespace) -> int:
    from askwire.core.settings.operations import LOG_FORMAT  # noqa: PLC0415
    from askwire.core.settings.relay import LISTEN, WORKERS  # noqa: PLC0415
    from askwire.core.settings.table import BACKEND, LOG_LEVEL  # noqa: PLC0415
    from askwire.proxy import config_file, log  # noqa: PLC0415
    from askwire.proxy.workers.sockets import PASSED  # noqa: PLC0415

    given = dict(chosen.given)
    if chosen.dsn is not None:
        given[BACKEND.name] = chosen.dsn
    if chosen.listen is not None:
        given[LISTEN.name] = chosen.listen
    config = config_file.chosen_file(chosen.config)
    settings = config_file.read_settings(config, os.environ, given)
    if not settings[BACKEND]:
        raise ConfigurationError(
            "no PostgreSQL server is named", hint=f"Name it with --dsn, or try {_called()} demo."
        )
    log.configure(settings[LOG_LEVEL], settings[LOG_FORMAT])
    experts = config_file.read_experts(config, os.environ)
    again = partial(config_file.read_settings, config, os.environ, given)
    if not settings[WORKERS] and PASSED in os.environ:
        raise ConfigurationError(
            "workers = 0 cannot take over from a server with workers",
            hint="Set workers to 1 or more, or stop the server and start it again.",
        )
    # the server takes far longer to load than a mistake in the settings to be found
    from askwire.proxy import prefork  # noqa: PLC0415

    return prefork.run(settings, experts=experts, door=_tell_door, reread=again)


def _check(chosen: argparse.Namespace) -> int:
    from askwire.core.settings.memory import STORE  # noqa: PLC0415
    from askwire.core.settings.relay import LISTEN  # noqa: PLC0415
    from askwire.core.settings.table import BACKEND  # noqa: PLC0415
    from askwire.proxy import config_file  # noqa: PLC0415

    own = {LISTEN.name: "127.0.0.1:0", STORE.name: "memory", **dict(chosen.given)}
    if chosen.dsn is not None:
        own[BACKEND.name] = chosen.dsn
    settings = config_file.read_settings(chosen.config, os.environ, own)
    from askwire.proxy.session.statements.own_connection import read_target  # noqa: PLC0415

    target = read_target(settings[BACKEND], os.environ)
    from askwire.proxy.checking import run  # noqa: PLC0415

    shown, status = run.run(target, settings)
    sys.stdout.write(shown)
    return status


def _tell_door(door: Door) -> None:
    """Say where the console is and what lets in, on stderr and not in the log: a token is a secret."""
    token = f"; its token, for the life of this process, is {door.token}" if door.token else ""
    sys.stderr.write(f"askwire: the console is at {door.url}{token}\n")
    sys.stderr.flush()


def _separate(chosen: argparse.Namespace) -> int:
    from askwire.proxy import separate  # noqa: PLC0415

    report = separate.run(
        separate.Request(
            chosen.dsn,
            (*chosen.queries, *chosen.more),
            chosen.search_path,
            chosen.format,
            chosen.timeout,
            chosen.masked,
            chosen.save,
        )
    )
    sys.stdout.write(report.text)
    if chosen.save:
        sys.stdout.flush()
        sys.stderr.write(f"askwire: {separate.write(report, chosen.save)}\n")
    return report.status


def _lock(chosen: argparse.Namespace) -> int:
    from askwire.proxy.lock import command  # noqa: PLC0415

    shown, status = command.run(
        command.Request(
            chosen.dsn,
            chosen.questions,
            chosen.file,
            chosen.check,
            chosen.config,
            chosen.search_path,
            chosen.rows,
        )
    )
    sys.stdout.write(shown)
    return status


def _store(chosen: argparse.Namespace) -> None:
    from askwire.core.settings.memory import HISTORY_DAYS  # noqa: PLC0415
    from askwire.proxy.config_file import read_settings  # noqa: PLC0415
    from askwire.proxy.memory.place import place_of, postgres_options  # noqa: PLC0415
    from askwire.store.postgres.address import without_password  # noqa: PLC0415
    from askwire.store.transfer import export_lines, import_lines, migrate_database  # noqa: PLC0415

    settings = read_settings(None, os.environ, {})
    place, schema = place_of(chosen.store or "", settings), postgres_options(settings).schema
    if chosen.direction == "export":
        try:
            sys.stdout.writelines(export_lines(place, schema))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise ConfigurationError(f"cannot write the export: {reason(error)}") from None
    elif chosen.direction == "import":
        count = import_lines(place, sys.stdin, schema)
        sys.stderr.write(f"askwire: {count} records are in {without_password(str(place))}\n")
    else:
        logins = [(role, server) for role, _, server in (text.partition("=") for text in chosen.login)]
        told = migrate_database(
            place, schema, logins, chosen.askers, chosen.operators, settings[HISTORY_DAYS]
        )
        sys.stderr.write(f"askwire: {told}\n")


def _mock_model(chosen: argparse.Namespace) -> None:
    import asyncio  # noqa: PLC0415

    from askwire.llm.providers.mock_server import MockServer, read_scenario  # noqa: PLC0415

    server = MockServer(read_scenario(chosen.scenario))

    async def serve() -> None:
        url = await server.start(chosen.port)
        sys.stdout.write(f"a model answers at {url}, as {chosen.scenario} says; stop it with Ctrl-C\n")
        sys.stdout.flush()
        try:
            await asyncio.Event().wait()
        finally:
            await server.stop()

    asyncio.run(serve())


def _psql(arguments: Sequence[str]) -> NoReturn:
    """Become psql, with the demo as its default; its own options override that."""
    from askwire.proxy.demo.own_files import database_on  # noqa: PLC0415
    from askwire.proxy.demo.postgres_binaries import find_psql  # noqa: PLC0415

    port = next((b for a, b in itertools.pairwise(arguments) if a == "-p"), "6432")
    database = database_on(port, "shop")
    demo = {"PGHOST": "127.0.0.1", "PGPORT": "6432", "PGUSER": "postgres", "PGDATABASE": database}
    program = find_psql()
    sys.stdout.flush()
    os.execve(program, [program, *arguments], {**os.environ, **demo})


if __name__ == "__main__":
    sys.exit(main())
