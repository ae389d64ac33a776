"""The demo: an embedded PostgreSQL with a database to ask about, and askwire in front of it.

Owns: the demo's data folder, its role and database, loading the sample once, the words on the screen. Must
not know: the wire, or how PostgreSQL is run (`embedded_postgres`).

Everybody on this machine may connect to the demo, without a password, as role `postgres`: that is what makes
it a demo. So `postgres` is no superuser here; a superuser could read files and run programs as whoever
started the demo. While a sample is loaded it is one, and then nobody else is let in.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NoReturn

from askwire.core.console_settings import CONSOLE_LISTEN
from askwire.core.errors import ConfigurationError
from askwire.core.memory_settings import HISTORY_ROWS, SERVER_NAME, STORE
from askwire.core.operations_settings import ADMIN_ROLES, LOG_FORMAT
from askwire.core.settings import LOG_LEVEL, Settings
from askwire.llm.expert_table import read_key
from askwire.llm.providers.openai_compatible import check_installed
from askwire.proxy import event_loop, log, server
from askwire.proxy.config_file import chosen_file, read_experts, read_settings
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres, FolderInUse
from askwire.proxy.demo.postgres_binaries import Binaries, cache_folder, find_binaries

if TYPE_CHECKING:
    from askwire.proxy.console.console import Door

ROLE: Final = "postgres"
DATABASE: Final = "shop"
QUESTIONS: Final = (
    "how many orders did each customer place in 2024?",
    "top 5 products by revenue",
    "which products are out of stock?",
)

CONSOLE_PORT: Final = 6480

_LET_IN: Final = (f"host all {ROLE} 127.0.0.1/32 trust",)
_MOST_AT_ONCE: Final = 20
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Demo:
    """What the user chose: the port to listen on, a data folder, a psql script to load for the sample."""

    port: int
    data: Path | None = None
    sample_sql: Path | None = None
    given: Mapping[str, str] | None = None
    """Further settings, as on the command line."""
    command: str = "askwire"
    """How the user calls this program, for the hints on the screen."""


def run(demo: Demo) -> None:
    """Serve the demo until Ctrl-C or SIGTERM; nothing runs any more when it returns.

    Raises ConfigurationError for a folder, a sample, a port or a setting that cannot be used.
    """
    began = time.monotonic()
    for number in _STOPPING:
        signal.signal(number, _interrupt)
    with suppress(KeyboardInterrupt):
        _look_for_the_port(demo)
        _look_for_the_models()
        postgres = _started(demo, find_binaries())
        try:
            again = partial(read_settings, chosen_file(None), os.environ, _given(demo, postgres))
            settings = again()
            log.configure(settings[LOG_LEVEL], settings[LOG_FORMAT])
            event_loop.run(_serve(demo, settings, again, postgres, began))
        finally:
            postgres.stop()


def _look_for_the_port(demo: Demo) -> None:
    """Say before a database is made that it would be for nothing."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", demo.port))
        except OSError as error:
            in_use = (
                f"If it is a demo, {demo.command} psql -p {demo.port} reaches it; else choose another --port."
            )
            raise ConfigurationError(
                f"cannot listen on 127.0.0.1:{demo.port}: {error.strerror or error}",
                hint=in_use if error.errno == errno.EADDRINUSE else "Choose another --port.",
            ) from None


def _look_for_the_models() -> None:
    """The same of experts that could not be asked: without their key, or what they need."""
    experts = read_experts(None, os.environ)
    for expert in experts:
        read_key(expert, os.environ)
    if experts:
        check_installed()


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _given(demo: Demo, postgres: EmbeddedPostgres) -> dict[str, str]:
    """What the demo sets besides its user: all there is to see shows, and `postgres` may look at it."""
    return {
        **({} if "ASKWIRE_LOG_LEVEL" in os.environ else {LOG_LEVEL.name: "warning"}),
        **({} if "ASKWIRE_STORE" in os.environ else {STORE.name: str(postgres.data / "store.sqlite")}),
        # its port is another one at each start
        **({} if "ASKWIRE_SERVER_NAME" in os.environ else {SERVER_NAME.name: _name(demo, postgres)}),
        **({} if "ASKWIRE_CONSOLE_LISTEN" in os.environ else {CONSOLE_LISTEN.name: _console(demo)}),
        **({} if "ASKWIRE_HISTORY_ROWS" in os.environ else {HISTORY_ROWS.name: "on"}),
        **({} if "ASKWIRE_ADMIN_ROLES" in os.environ else {ADMIN_ROLES.name: ROLE}),
        **(demo.given or {}),
        "listen": f"127.0.0.1:{demo.port}",
        "backend": f"postgresql://127.0.0.1:{postgres.port}?sslmode=disable",
    }


def _name(demo: Demo, postgres: EmbeddedPostgres) -> str:
    """What is remembered of this demo is kept under this name: in a store that others use, the folder's."""
    shared = "ASKWIRE_STORE" in os.environ or STORE.name in (demo.given or {})
    return f"demo in {postgres.data}" if shared else "demo"


async def _serve(
    demo: Demo, settings: Settings, again: Callable[[], Settings], postgres: EmbeddedPostgres, began: float
) -> None:
    experts = read_experts(None, os.environ)

    doors: list[Door] = []

    def ready(_host: str, port: int) -> None:
        sys.stdout.write(_banner(demo, postgres, port, time.monotonic() - began, doors))
        sys.stdout.flush()

    serving = asyncio.create_task(
        server.run(settings, experts=experts, ready=ready, door=doors.append, reread=again, attended=True)
    )
    # An exception out of a signal handler can get lost inside a loop; from here on signals are callbacks.
    # The server has its own for SIGINT and SIGTERM once it listens.
    for number in _STOPPING:
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    while not serving.done():
        await asyncio.wait([serving], timeout=1)
        if not serving.done() and not postgres.running:
            serving.cancel()
            await asyncio.wait([serving])
            raise ConfigurationError(
                "the demo's PostgreSQL has ended", hint=f"Its log is {str(postgres.data / 'server.log')!r}."
            )
    with suppress(asyncio.CancelledError):
        await serving


def _console(demo: Demo) -> str:
    """Where the console is, unless told otherwise: on a port that is the same every time, if it is free.

    Nowhere where its libraries are not installed: a demo without it is better than none.
    """
    if demo.given is not None and CONSOLE_LISTEN.name in demo.given:
        return demo.given[CONSOLE_LISTEN.name]
    if not _console_installed():
        return ""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", CONSOLE_PORT))
        except OSError:
            return "127.0.0.1:0"
    return f"127.0.0.1:{CONSOLE_PORT}"


def _console_installed() -> bool:
    return all(find_spec(library) is not None for library in ("aiohttp", "jinja2", "prometheus_client"))


def _banner(
    demo: Demo, postgres: EmbeddedPostgres, port: int, seconds: float, doors: Sequence[Door] = ()
) -> str:
    ours = f"{demo.command} psql" + ("" if port == 6432 else f" -p {port}")
    plain = f"psql -h 127.0.0.1 -p {port} -U {ROLE} {DATABASE}"
    lines = [
        f"askwire is ready after {seconds:.1f} s, in front of PostgreSQL {postgres.binaries.version}.",
        "",
        f"  connect   {ours}",
        f"            {plain}",
    ]
    if demo.sample_sql is None:
        lines += [
            f"  {'ask' if number == 0 else '':7}   ASK '{question}';"
            for number, question in enumerate(QUESTIONS)
        ]
    else:
        lines.append("  ask       ASK 'how many <rows of one of your tables> are there?';")
    if not _console_installed():
        lines.append("  look on   in a browser once askwire[console] is installed")
    return "\n".join(
        [
            *lines,
            *(f"  look on   {door.link}" for door in doors),
            "  stop      Ctrl-C",
            "",
            f"The data stays in {postgres.data}",
            f"Every user of this machine may connect as {ROLE}, which is no superuser here.",
            *(
                f"The link lets in once; afterwards {door.url} takes the token {door.token}"
                for door in doors
                if door.token
            ),
            "",
        ]
    )


def _started(demo: Demo, binaries: Binaries) -> EmbeddedPostgres:
    """A running server whose database is loaded, on the named folder or on the first free one of our own."""
    key = _sample_key(demo.sample_sql)
    for folder in _folders(demo, key, binaries):
        try:
            _ensure_loaded(demo, folder, key, binaries)
            postgres = EmbeddedPostgres(folder, hba=_LET_IN, binaries=binaries)
            postgres.start()
        except FolderInUse:
            if demo.data is not None:
                raise
        else:
            return postgres
    raise ConfigurationError("too many demos run at once", hint="Stop one, or name a folder with --data.")


def _folders(demo: Demo, key: str, binaries: Binaries) -> list[Path]:
    if demo.data is not None:
        return [demo.data]
    checkout = hashlib.sha256(os.fsencode(Path(__file__).resolve().parents[1])).hexdigest()[:8]
    first = cache_folder() / "demo" / f"{checkout}-{key}-pg{binaries.version}"
    return [first, *(first.with_name(f"{first.name}-{n}") for n in range(2, _MOST_AT_ONCE + 1))]


def _sample_key(sample_sql: Path | None) -> str:
    """What tells one sample from another: a few digits of a hash of what makes it."""
    if sample_sql is None:
        sources = [file for file in files("askwire.proxy.demo.sample").iterdir() if file.is_file()]
        texts = [file.read_bytes() for file in sorted(sources, key=lambda file: file.name)]
    else:
        try:
            texts = [sample_sql.read_bytes()]
        except OSError as error:
            raise ConfigurationError(f"cannot read {str(sample_sql)!r}: {error.strerror or error}") from None
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:8]


def _ensure_loaded(demo: Demo, folder: Path, key: str, binaries: Binaries) -> None:
    """Make role and database and load the sample, unless the folder holds them."""
    stamp = folder / "sample"
    try:
        loaded = stamp.read_text().strip()
    except FileNotFoundError:
        loaded = ""
    except OSError as error:
        raise ConfigurationError(f"cannot read {str(stamp)!r}: {error.strerror or error}") from None
    if loaded == key or (loaded and demo.sample_sql is None):
        return
    if loaded:
        raise ConfigurationError(
            f"folder {str(folder)!r} holds another sample than {str(demo.sample_sql)!r}",
            hint="Name another folder with --data, or none.",
        )
    sys.stderr.write(f"making a database in {folder} (once) …\n")
    sys.stderr.flush()
    with EmbeddedPostgres(folder, binaries=binaries) as postgres:
        _psql(
            postgres,
            "postgres",
            *("-c", f"DO $$BEGIN IF to_regrole('{ROLE}') IS NULL THEN CREATE ROLE {ROLE}; END IF; END$$"),
            *("-c", f"ALTER ROLE {ROLE} LOGIN CREATEDB SUPERUSER"),
            *("-c", f"DROP DATABASE IF EXISTS {DATABASE}"),
            *("-c", f"CREATE DATABASE {DATABASE} OWNER {ROLE}"),
        )
        _load(postgres, demo.sample_sql)
        _psql(postgres, DATABASE, "-c", f"ALTER ROLE {ROLE} NOSUPERUSER", "-c", "VACUUM ANALYZE")
        stamp.write_text(key + "\n")


def _load(postgres: EmbeddedPostgres, sample_sql: Path | None) -> None:
    # One session as the role that shall own everything.
    owner = ("-c", f"SET SESSION AUTHORIZATION {ROLE}")
    if sample_sql is not None:
        _psql(postgres, DATABASE, *owner, "-f", str(sample_sql))
        return
    from askwire.proxy.demo.sample import write_sql  # noqa: PLC0415 - needed once per folder

    with tempfile.TemporaryFile("w+", encoding="utf-8") as script:
        write_sql(script)
        script.seek(0)
        _psql(postgres, DATABASE, *owner, "-f", "-", script=script)


def _psql(postgres: EmbeddedPostgres, database: str, *arguments: str, script: IO[str] | None = None) -> None:
    """Run psql as the superuser; raises ConfigurationError with its complaint."""
    done = subprocess.run(
        [postgres.binaries.program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", *arguments],
        env={**postgres.environment(database=database), "PGOPTIONS": "-c client_min_messages=warning"},
        stdin=script or subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        complaint = next((line for line in done.stderr.splitlines() if "ERROR" in line), done.stderr.strip())
        raise ConfigurationError(f"cannot load the sample: {complaint}")
