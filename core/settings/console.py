"""The settings of the console: where it listens, and who is let in.

Owns: these rows of the table.
"""

from __future__ import annotations

import ipaddress
from typing import Final, TypeAlias

from askwire.core.settings.parsing import one_of, parse_duration, parse_roles, parse_text
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CAP, strictest_first

Network: TypeAlias = "ipaddress.IPv4Network | ipaddress.IPv6Network"


def parse_networks(value: str) -> tuple[Network, ...]:
    """Addresses or networks, separated by commas: '127.0.0.1, 10.1.0.0/16'."""
    try:
        return tuple(ipaddress.ip_network(text.strip()) for text in value.split(",") if text.strip())
    except ValueError:
        raise ValueError("expected addresses or networks, as 127.0.0.1 or 10.1.0.0/16") from None


CONSOLE_LISTEN: Final = Setting(
    "console_listen",
    "",
    parse_text,
    "Address and port of the console, `host:port`; empty: there is none. The demo has one on 127.0.0.1:6480. "
    "What is sent there is not encrypted: on an address that is not loopback, put a proxy with TLS in front.",
    live=False,
)
CONSOLE_TOKEN_FILE: Final = Setting(
    "console_token_file",
    "",
    parse_text,
    "A file whose first line is the token that lets into the console, at least 16 characters; it is made "
    "where there is none. Empty: a token for the life of the process, which is printed at the start.",
    live=False,
)
CONSOLE_HOSTS: Final = Setting(
    "console_hosts",
    "",
    parse_roles,
    "Names under which browsers reach the console, separated by commas, besides its address and `localhost`. "
    "Requests for other names are refused, so that no other site's name can be made to point here.",
    live=False,
)
CONSOLE_USER_HEADER: Final = Setting(
    "console_user_header",
    "",
    parse_text,
    "The header in which a reverse proxy tells who is logged in, as in `X-Forwarded-User`. The user it names "
    "needs no token, from the addresses of `console_proxies` only.",
    live=False,
)
CONSOLE_PROXIES: Final = Setting(
    "console_proxies",
    "",
    parse_networks,
    "Addresses or networks of reverse proxies whose `console_user_header` is believed, separated by commas. "
    "Anyone who can connect from there can claim to be any user.",
    live=False,
)
CONSOLE_ASK: Final = Setting(
    "console_ask",
    "on",
    one_of("off", "on", "open"),
    "Who may sign in to PostgreSQL at the console and ask there: `on` those who are let into the console, "
    "`open` anyone who reaches its address, and they see their own questions only; `off`: there is no "
    "such page.",
    strictness=strictest_first("off", "on", "open"),
)
CONSOLE_ASK_IDLE: Final = Setting(
    "console_ask_idle",
    "15min",
    parse_duration,
    "How long a session that asks in the console may be idle before it ends, and with it the "
    "connection to PostgreSQL and the rows that it holds. 0: until they sign out or askwire stops.",
    strictness=CAP,
)

CONSOLE_SETTINGS: Final = (
    CONSOLE_LISTEN,
    CONSOLE_TOKEN_FILE,
    CONSOLE_HOSTS,
    CONSOLE_USER_HEADER,
    CONSOLE_PROXIES,
    CONSOLE_ASK,
    CONSOLE_ASK_IDLE,
)
"""In the order the documentation shows them."""
