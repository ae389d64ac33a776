"""The settings of the relay: how bytes pass, how long connections last, and clients' certificates.

Owns: these rows of the table.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import (
    one_of,
    parse_bool,
    parse_duration,
    parse_int,
    parse_permissions,
    parse_text,
    parse_workers,
)
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CAP, CONFIGURATION, LOWER, neutral

LISTEN: Final = Setting(
    "listen",
    "127.0.0.1:6432",
    parse_text,
    "Where the proxy listens: `host:port`, or the path of a unix socket (`/run/askwire/.s.PGSQL.6432`); "
    "several are separated by commas. On an address that is not loopback, sessions that the backend lets in "
    "without a challenge are refused unless `allow_trust` is on.",
    live=False,
)
UNIX_SOCKET_PERMISSIONS: Final = Setting(
    "unix_socket_permissions",
    "0777",
    parse_permissions,
    "Permissions of the unix sockets in `listen`, in octal digits: who may write may connect, as with "
    "PostgreSQL's parameter of this name.",
    live=False,
)
ALLOW_TRUST: Final = Setting(
    "allow_trust",
    "off",
    parse_bool,
    "Serve sessions on a non-loopback address even when the backend accepted them without a password or "
    "certificate. The backend's pg_hba.conf sees the proxy's address, not the client's.",
    strictness=CONFIGURATION,
)
SSL_CERT_FILE: Final = Setting(
    "ssl_cert_file",
    "",
    parse_text,
    "Certificate (PEM) shown to clients that ask for TLS; empty: TLS is answered with 'N'.",
    strictness=CONFIGURATION,
)
SSL_KEY_FILE: Final = Setting(
    "ssl_key_file",
    "",
    parse_text,
    "Private key (PEM) of `ssl_cert_file`; empty: the key is in that file.",
    strictness=CONFIGURATION,
)
SSL_MIN_PROTOCOL_VERSION: Final = Setting(
    "ssl_min_protocol_version",
    "TLSv1.2",
    one_of("tlsv1.2", "tlsv1.3"),
    "The earliest version of TLS that clients may use: `TLSv1.2` or `TLSv1.3`.",
    strictness=CONFIGURATION,
)
SSL_CIPHERS: Final = Setting(
    "ssl_ciphers",
    "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES:!SHA1:!AESCCM:!aNULL:!PSK",
    parse_text,
    "Ciphers for clients that use TLS 1.2, as in PostgreSQL's parameter of this name, the preferred first. "
    "The default has forward secrecy. Those of TLS 1.3 are OpenSSL's.",
    strictness=CONFIGURATION,
)
SSL_REQUIRED: Final = Setting(
    "ssl_required",
    "off",
    parse_bool,
    "Refuse clients that do not use TLS, as hostssl does.",
    strictness=CONFIGURATION,
)
CONNECT_TIMEOUT: Final = Setting(
    "connect_timeout",
    "10s",
    parse_duration,
    "How long connecting to the backend may take.",
    strictness=CAP,
)
LOGIN_TIMEOUT: Final = Setting(
    "login_timeout",
    "60s",
    parse_duration,
    "How long a client may take from connecting to being logged in.",
    strictness=CAP,
)
MAX_CLIENTS: Final = Setting(
    "max_clients",
    "1000",
    parse_int,
    "Client connections served at once; more get SQLSTATE 53300. Three more are reserved for roles of "
    "`admin_roles` at the admin database. 0: no limit.",
    strictness=CAP,
)
MAX_LOGINS: Final = Setting(
    "max_logins",
    "0",
    parse_int,
    "Connections at once that have not logged in yet, apart from `max_clients`. One more closes the oldest "
    "of the address that has most of them (SQLSTATE 53300). A client that is asked for its password holds a "
    "connection to PostgreSQL: less than its `max_connections` leaves room for others. 0: as many as "
    "`max_clients`.",
    strictness=CONFIGURATION,
)
COMPILED_RELAY: Final = Setting(
    "compiled_relay",
    "on",
    parse_bool,
    "Relay with the part of askwire that was compiled at its installation; off, or without it, Python does "
    "the same at about twice the processor time. It encrypts as well, without session tickets, where Python "
    "uses the system's OpenSSL 3; else Python's module `ssl` does.",
    strictness=neutral("both ways relay the same bytes"),
)
IO_URING: Final = Setting(
    "io_uring",
    "on",
    parse_bool,
    "Relay sessions in a thread that uses io_uring, which takes less processor time and memory. It needs "
    "`compiled_relay`, Linux 6.1 or later that allows it (container runtimes often do not) and, for "
    "sessions over TLS, a Python that uses the system's OpenSSL 3. A change holds for new sessions.",
    strictness=neutral("both ways relay the same bytes"),
)
CLIENT_IDLE_TIMEOUT: Final = Setting(
    "client_idle_timeout",
    "0",
    parse_duration,
    "End a session in which nothing has been sent either way for this long, with SQLSTATE 57P05, unless it "
    "waits for an answer. 0: never.",
    strictness=CAP,
)
SHUTDOWN_TIMEOUT: Final = Setting(
    "shutdown_timeout",
    "8s",
    parse_duration,
    "How long sessions that are in the middle of a statement or a transaction may go on after SIGTERM; the "
    "others end at once, and new ones are not accepted. After SIGINT all sessions end at once.",
    strictness=LOWER,
)
WORKERS: Final = Setting(
    "workers",
    "0",
    parse_workers,
    "Processes that serve: `0` one process alone; a number, so many workers under a supervisor, which "
    "replaces one that crashes and can be restarted without refusing a connection (SIGUSR2); `auto`, one "
    "worker for each processor that askwire may use. Bounds hold for the workers together; "
    "`store_connections` and `store_queue` for each.",
    live=False,
)
RESTART_TIMEOUT: Final = Setting(
    "restart_timeout",
    "1h",
    parse_duration,
    "How long the sessions of the former process may go on after an online restart. Then they end as after "
    "SIGTERM, within `shutdown_timeout`. 0: until their clients leave.",
    strictness=CAP,
)
PEERS: Final = Setting(
    "peers",
    "",
    parse_text,
    "Other askwires in front of the same PostgreSQL, as `host:port` of their `listen`, separated by commas. "
    "A cancel request that a balancer sent to the wrong one reaches the session it is for. Each lists the "
    "others: requests are taken from the addresses of these hosts only.",
    strictness=CONFIGURATION,
)
KEEPALIVES_IDLE: Final = Setting(
    "tcp_keepalives_idle",
    "0",
    parse_duration,
    "Idle time after which TCP keepalives are sent, on connections of clients and to the "
    "backend, in whole seconds. 0: what the operating system does, on Linux two hours.",
    strictness=CAP,
)
CANCEL_TIMEOUT: Final = Setting(
    "cancel_timeout",
    "10s",
    parse_duration,
    "How long the backend may take to end what it runs for an ASK whose time is up, or that was canceled, or "
    "whose client has gone. If it still does not answer, askwire closes its connection and ends the "
    "client's session with SQLSTATE 08006. 0: wait without a limit.",
    strictness=CAP,
)
SSL_CA_FILE: Final = Setting(
    "ssl_ca_file",
    "",
    parse_text,
    "Certificate authorities (PEM) that certificates of clients are checked against; needed by "
    "`ssl_client_cert`.",
    strictness=CONFIGURATION,
)
SSL_CLIENT_CERT: Final = Setting(
    "ssl_client_cert",
    "off",
    one_of("off", "allow", "require"),
    "Whether a client shows a certificate: `off` none is asked for, `allow` one that is shown must be signed "
    "by an authority of `ssl_ca_file`, `require` each client has to show one, and TLS is demanded. It only "
    "admits the connection: the backend authenticates the user and never sees the certificate.",
    strictness=CONFIGURATION,
)

CONNECTION_SETTINGS: Final = (
    UNIX_SOCKET_PERMISSIONS,
    SSL_CERT_FILE,
    SSL_KEY_FILE,
    SSL_MIN_PROTOCOL_VERSION,
    SSL_CIPHERS,
    SSL_REQUIRED,
    SSL_CA_FILE,
    SSL_CLIENT_CERT,
    CONNECT_TIMEOUT,
    LOGIN_TIMEOUT,
    MAX_CLIENTS,
    MAX_LOGINS,
    WORKERS,
    RESTART_TIMEOUT,
    PEERS,
)
RELAY_SETTINGS: Final = (
    COMPILED_RELAY,
    IO_URING,
    CLIENT_IDLE_TIMEOUT,
    SHUTDOWN_TIMEOUT,
    KEEPALIVES_IDLE,
    CANCEL_TIMEOUT,
)
