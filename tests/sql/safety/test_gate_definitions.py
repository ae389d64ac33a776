"""What views, policies and types run: read from a real PostgreSQL, judged by the gate."""

from __future__ import annotations

import psycopg
import pytest
from data.gate_cases import CASES, NEWEST_REVIEWED
from data.reading_catalog import read_catalog
from servers.databases import Database

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.literals import quote_identifier
from askwire.sql.safety import Policy, check
from askwire.sql.safety.functions import review


def passes(catalog: Catalog, relation: Relation, sql: str = "SELECT * FROM {}") -> bool:
    try:
        check(sql.format(quote_identifier(relation.name)), catalog, Policy())
    except RefusedByGate:
        return False
    return True


async def test_what_reading_a_relation_runs_is_known_and_judged(database: Database) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute((CASES / "definitions.sql").read_text("utf-8").encode())
        connection.execute(b"CREATE ROLE looks_at_definitions")
        connection.execute(b"GRANT SELECT ON ALL TABLES IN SCHEMA public TO looks_at_definitions")
        try:
            catalog = await read_catalog(database.dsn(), "looks_at_definitions")
        finally:
            connection.execute(b"DROP OWNED BY looks_at_definitions; DROP ROLE looks_at_definitions")
    bad = [r for r in catalog if r.name.startswith("bad_")]
    good = [r for r in catalog if r.name.startswith("good_")]
    assert len(bad) == 60
    assert len(good) == 15
    wrongly_passed = {r.name for r in bad if passes(catalog, r)}
    assert not wrongly_passed, wrongly_passed
    wrongly_refused = {
        r.name: (r.runs, [c.converting_runs for c in r.columns]) for r in good if not passes(catalog, r)
    }
    assert not wrongly_refused
    # a column of such a type is refused by itself, another column beside it is not
    assert not passes(
        catalog, next(r for r in bad if r.name == "bad_domain"), "SELECT lag(a, 1, '5') OVER () FROM {}"
    )
    assert passes(catalog, next(r for r in bad if r.name == "bad_domain"), "SELECT count(*) FROM {}")


async def test_the_functions_for_definitions_are_reviewed_and_exist(database: Database) -> None:
    with psycopg.connect(database.dsn()) as connection:
        rows = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
        ).fetchall()
        newest = connection.info.server_version >= NEWEST_REVIEWED
    assert not newest or review().in_definitions <= {row[0] for row in rows}
    assert not review().in_definitions & review().allowed


@pytest.mark.parametrize(
    "name",
    [
        "pg_sleep",
        "nextval",
        "setval",
        "currval",
        "set_config",
        "query_to_xml",
        "table_to_xml",
        "ts_stat",
        "txid_current",
        "lo_unlink",
        "pg_current_xact_id",
        "pg_notify",
        "pg_advisory_lock",
        "pg_terminate_backend",
        "pg_read_file",
        "pg_input_is_valid",
        "pg_stat_reset",
        "pg_logical_emit_message",
        "pg_export_snapshot",
        "pg_switch_wal",
        "pg_reload_conf",
    ],
)
def test_functions_with_effects_are_in_no_list(name: str) -> None:
    assert name not in review().allowed | review().in_definitions
