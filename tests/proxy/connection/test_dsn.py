"""Where the backend is: connection strings and URIs as libpq reads them, and no secret in an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.dsn import BackendAddress, parse_dsn


@pytest.mark.parametrize(
    ("dsn", "address"),
    [
        ("host=db", BackendAddress("db")),
        ("  host = db   port = 5433 ", BackendAddress("db", 5433)),
        ("host='db' port='5433' user=me password='se cret'", BackendAddress("db", 5433)),
        (r"host=db password='it\'s' port=1", BackendAddress("db", 1)),
        (r"host=db password=a\ b port=1", BackendAddress("db", 1)),
        ("host='' port=''", BackendAddress("localhost")),
        ("host= db", BackendAddress("db")),
        ("dbname=shop", BackendAddress("localhost")),
        ("hostaddr=10.0.0.1 host=db", BackendAddress("db", hostaddr="10.0.0.1")),
        ("hostaddr=10.0.0.1", BackendAddress("10.0.0.1")),
        ("hostaddr=::1 host=/run/pg", BackendAddress("::1")),
        ("host=bücher.example", BackendAddress("bücher.example")),
        ("host=/run/postgresql port=5433", BackendAddress("/run/postgresql", 5433)),
        ("host=db sslmode=verify-full sslrootcert=/a", BackendAddress("db", 5432, "verify-full", "/a")),
        ("postgresql://db", BackendAddress("db")),
        ("postgres://me:se%40cret@db:5433/shop?sslmode=require", BackendAddress("db", 5433, "require")),
        ("postgresql://me:a@b@db/shop", BackendAddress("db")),
        ("postgresql://[::1]:5433/", BackendAddress("::1", 5433)),
        ("postgresql://", BackendAddress("localhost")),
        ("postgresql://%2Frun%2Fpg/shop", BackendAddress("/run/pg")),
        ("postgresql:///shop?host=/run/pg&port=1", BackendAddress("/run/pg", 1)),
    ],
)
def test_what_can_be_read(dsn: str, address: BackendAddress) -> None:
    assert parse_dsn(dsn) == address


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "  ",
        "db",
        "host",
        "host=a,b",
        "host=a..b",
        "host=" + "x" * 70,
        "host=" + "ü" * 70,
        "postgresql://a%00b/",
        "host=/run/pg hostaddr=localhost",
        "host=db hostaddr=db",
        "host=db hostaddr=10.0.0.1,10.0.0.2",
        "host=db port=abc",
        "host=db port=0",
        "host=db port=65536",
        "host=db port=" + "9" * 5000,
        "host=db port=٣",
        "host=db sslmode=maybe",
        "host='db",
        "=x",
        "mysql://db",
        "postgresql://db:port/",
        "postgresql://[::1/",
        "postgresql://a,b/",
    ],
)
def test_what_cannot_is_said_without_the_dsn(dsn: str) -> None:
    with pytest.raises(ConfigurationError):
        parse_dsn(dsn)


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://me:topsecret@db:port/",
        "postgresql://me:topsecret@db\u2100/",
        "postgresql://me:topsecret@[db/",
        "postgresql://me:topsecret@[nonsense]/",
        "host=db password=topsecret port=x",
        "host=db password='topsecret",
        "host=db password topsecret",
        "mysql://me:topsecret@db/",
    ],
)
def test_no_error_repeats_a_password(dsn: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        parse_dsn(dsn)
    told = f"{error.value.message} {error.value.detail} {error.value.hint} {error.value!r}"
    assert "topsecret" not in told


@given(st.text(max_size=60) | st.text(max_size=40).map(lambda text: f"postgresql://{text}"))
def test_any_text_is_an_address_or_a_configuration_error(dsn: str) -> None:
    try:
        parse_dsn(dsn)
    except ConfigurationError:
        return


@pytest.mark.parametrize(
    ("address", "shown", "socket"),
    [
        (BackendAddress("db"), "db:5432", ""),
        (BackendAddress("::1", 1), "[::1]:1", ""),
        (BackendAddress("/run/pg", 1), "/run/pg/.s.PGSQL.1", "/run/pg/.s.PGSQL.1"),
    ],
)
def test_an_address_is_shown_as_it_is_written(address: BackendAddress, shown: str, socket: str) -> None:
    assert (str(address), address.unix_socket) == (shown, socket)


def test_only_what_is_verified_needs_authorities() -> None:
    assert BackendAddress("db", sslmode="disable").tls_context() is None
    assert BackendAddress("/run/pg", sslmode="require").tls_context() is None
    for mode, verified, named in (("prefer", 0, False), ("verify-ca", 2, False), ("verify-full", 2, True)):
        context = BackendAddress("db", sslmode=mode).tls_context()
        assert context is not None
        assert (context.verify_mode, context.check_hostname) == (verified, named)
