"""A database whose owner attaches code to everything that can carry it, and what that code does.

Every function is a trap: run by a superuser it takes an advisory lock of its session, which outlasts even a
read-only transaction that is rolled back, and where it may write it makes the owner a superuser. Each way to
attach a function is made once for each language and each kind of membership in an extension.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg

OWNER: Final = "hostile_owner"

SPRINGS: Final = 4712
"""The class of the advisory locks that traps take."""

SETUP: Final = f"""
CREATE TABLE public.colours (id int PRIMARY KEY, name text);
INSERT INTO public.colours VALUES (1, 'red'), (2, 'blue');
CREATE SCHEMA sprung;
GRANT USAGE ON SCHEMA sprung TO public;
CREATE FUNCTION sprung.by(number int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    PERFORM pg_catalog.pg_advisory_lock_shared({SPRINGS}, number);
    IF pg_catalog.current_setting('transaction_read_only') = 'off' THEN
      EXECUTE 'ALTER ROLE {OWNER} SUPERUSER';
    END IF;
  END IF;
END $$;
"""

SPRUNG: Final = f"SELECT DISTINCT objid::int FROM pg_catalog.pg_locks WHERE classid = {SPRINGS}"

MEMBERSHIPS: Final = {"none": "", "listed": "citext", "unlisted": "dict_int"}
"""Extensions that a database's owner can create, and own; one is trusted by the gate, one is not."""

LANGUAGES: Final = {
    "plpgsql": "LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM sprung.by({n}); RETURN {value}; END $$",
    "sql": "LANGUAGE sql IMMUTABLE AS $$ SELECT sprung.by({n}); SELECT {value} $$",
}

COMBINATIONS: Final = (*itertools.product(("plpgsql",), MEMBERSHIPS), ("sql", "listed"))


@dataclass(frozen=True)
class Way:
    """One way to attach a function: its `arguments`, `result` type and a `value` of that type.

    `before` and `after` the function stand statements that make the rest; `members` are further objects that
    become members of the extension. In all of them {n} is the trap's number and {f} the function's name; a
    table or view `t{n}` with a column `x` is what is asked about.
    """

    name: str
    arguments: str
    result: str
    value: str
    after: str
    before: str = ""
    members: tuple[str, ...] = ()


ENUM: Final = "CREATE TYPE k{n} AS ENUM ('low', 'high');"
ENUM_TABLE: Final = """CREATE TABLE t{n} (id int PRIMARY KEY, name text, x k{n});
INSERT INTO t{n} VALUES (1, 'a', 'low'), (2, 'b', 'high'), (3, 'c', NULL);"""
TEXT_TABLE: Final = """CREATE TABLE t{n} (id int PRIMARY KEY, name text, x text);
INSERT INTO t{n} VALUES (1, 'a', 'low'), (2, 'b', 'high'), (3, 'c', NULL);"""


def _cast(target: str, value: str, context: str, table: str = ENUM_TABLE, before: str = "") -> Way:
    return Way(
        f"cast to {target} {context}".strip(),
        "k{n}",
        target,
        value,
        f"CREATE CAST (k{{n}} AS {target}) WITH FUNCTION {{f}}(k{{n}}) {context}; {table}",
        ENUM + before,
        (f"CAST (k{{n}} AS {target})",),
    )


def _held(name: str, table: str, before: str = "") -> Way:
    way = _cast("json", "'1'::json", "AS IMPLICIT", table)
    return Way(
        f"cast of what {name} holds",
        way.arguments,
        way.result,
        way.value,
        way.after,
        ENUM + before,
        way.members,
    )


WAYS: Final = (
    _cast("text", "'x'", "AS IMPLICIT"),
    _cast("text", "'x'", ""),
    _cast("text", "'x'", "AS ASSIGNMENT"),
    _cast("json", "'1'::json", ""),
    _cast("jsonb", "'1'::jsonb", "AS IMPLICIT"),
    _cast("int", "1", "AS IMPLICIT"),
    _cast("boolean", "true", "AS IMPLICIT"),
    Way(
        "cast from text",
        "text",
        "k{n}",
        "'low'::k{n}",
        "CREATE CAST (text AS k{n}) WITH FUNCTION {f}(text) AS IMPLICIT;" + ENUM_TABLE,
        ENUM,
    ),
    _held("an array", "CREATE TABLE t{n} (id int, x k{n}[]); INSERT INTO t{n} VALUES (1, '{{low,high}}');"),
    _held(
        "a row",
        "CREATE TYPE r{n} AS (one k{n}); CREATE TABLE t{n} (id int, x r{n});"
        "INSERT INTO t{n} VALUES (1, '(low)');",
    ),
    _held(
        "a domain",
        "CREATE DOMAIN d{n} AS k{n}; CREATE TABLE t{n} (id int, x d{n}); INSERT INTO t{n} VALUES (1, 'low');",
    ),
    _held(
        "a range",
        "CREATE TYPE r{n} AS RANGE (subtype = k{n}); CREATE TABLE t{n} (id int, x r{n});"
        "INSERT INTO t{n} VALUES (1, '[low,high]');",
    ),
    _held(
        "an inheritance child",
        "CREATE TABLE t{n} (id int, x k{n}); CREATE TABLE c{n} () INHERITS (t{n});"
        "INSERT INTO c{n} VALUES (1, 'low');",
    ),
    _held(
        "a view that makes json",
        ENUM_TABLE.replace("t{n}", "b{n}")
        + "CREATE VIEW t{n} AS SELECT id, row_to_json(b) AS x FROM b{n} b;",
    ),
    _held(
        "a view that makes json of a subquery",
        ENUM_TABLE.replace("t{n}", "b{n}")
        + "CREATE VIEW t{n} AS SELECT json_agg(s) AS x FROM (SELECT * FROM b{n}) s;",
    ),
    _held(
        "a policy",
        ENUM_TABLE.replace("t{n}", "b{n}")
        + TEXT_TABLE
        + "ALTER TABLE t{n} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        "CREATE POLICY p ON t{n} USING (id IN (SELECT length(to_json(b)::text) FROM b{n} b) OR true);",
    ),
    _held("a view", ENUM_TABLE.replace("t{n}", "b{n}") + "CREATE VIEW t{n} AS SELECT id, x FROM b{n};"),
    _held(
        "a materialized view",
        ENUM_TABLE.replace("t{n}", "b{n}") + "CREATE MATERIALIZED VIEW t{n} AS SELECT id, x FROM b{n};",
    ),
    Way(
        "cast of a table's row",
        "t{n}",
        "text",
        "'x'",
        "CREATE CAST (t{n} AS text) WITH FUNCTION {f}(t{n}) AS IMPLICIT;",
        TEXT_TABLE,
    ),
    Way(
        "cast of a row to json",
        "t{n}",
        "json",
        "'1'::json",
        "CREATE CAST (t{n} AS json) WITH FUNCTION {f}(t{n});",
        TEXT_TABLE,
    ),
    Way(
        "distance of a range's bounds",
        "float8, float8",
        "float8",
        "1",
        "CREATE TYPE r{n} AS RANGE (subtype = float8, subtype_diff = {f});"
        "CREATE TABLE t{n} (id int, x r{n});"
        "INSERT INTO t{n} SELECT n, r{n}(n, n + 10) FROM generate_series(1, 300) n;"
        "CREATE INDEX ON t{n} USING gist (x);",
    ),
    Way(
        "distance behind a domain over a range",
        "float8, float8",
        "float8",
        "1",
        "CREATE TYPE r{n} AS RANGE (subtype = float8, subtype_diff = {f}); CREATE DOMAIN d{n} AS r{n};"
        "CREATE TABLE t{n} (id int, x d{n});"
        "INSERT INTO t{n} SELECT n, r{n}(n, n + 10) FROM generate_series(1, 300) n;",
    ),
    Way("index expression", "int", "int", "1", TEXT_TABLE + "CREATE INDEX ON t{n} ((id + {f}(1)));"),
    Way("index predicate", "int", "int", "1", TEXT_TABLE + "CREATE INDEX ON t{n} (x) WHERE id > {f}(1);"),
    Way(
        "index predicate by an operator",
        "int, int",
        "boolean",
        "true",
        "CREATE OPERATOR o{n}.<####> (leftarg = int, rightarg = int, function = {f});"
        + TEXT_TABLE
        + "CREATE INDEX ON t{n} (x) WHERE id > 0 AND (1 OPERATOR(o{n}.<####>) 2);",
        "CREATE SCHEMA o{n}; GRANT USAGE ON SCHEMA o{n} TO public;",
        ("OPERATOR o{n}.<####> (int, int)",),
    ),
    Way(
        "statistics", "int", "int", "1", TEXT_TABLE + "CREATE STATISTICS s{n} ON (id + {f}(1)), x FROM t{n};"
    ),
    Way(
        "partition key",
        "int",
        "int",
        "1",
        "CREATE TABLE t{n} (id int, x text) PARTITION BY RANGE ((id + {f}(1)));"
        "CREATE TABLE c{n} PARTITION OF t{n} DEFAULT; INSERT INTO t{n} VALUES (1, 'low');",
    ),
    Way(
        "check of a child",
        "int",
        "int",
        "1",
        "CREATE TABLE t{n} (id int, x text); CREATE TABLE c{n} (CHECK (id > {f}(1) - 9)) INHERITS (t{n});"
        "INSERT INTO c{n} VALUES (1, 'low');",
    ),
    Way(
        "check of a parent alone",
        "int",
        "int",
        "1",
        TEXT_TABLE
        + "ALTER TABLE t{n} ADD CHECK (id > {f}(1) - 9) NO INHERIT; CREATE TABLE c{n} () INHERITS (t{n});",
    ),
    Way(
        "check of a table by itself",
        "int",
        "int",
        "1",
        TEXT_TABLE + "ALTER TABLE t{n} ADD CHECK (id > {f}(1) - 9);",
    ),
    Way(
        "check behind a view of two arms",
        "int",
        "int",
        "1",
        TEXT_TABLE.replace("t{n}", "b{n}") + "ALTER TABLE b{n} ADD CHECK (id > {f}(1) - 9);"
        "CREATE VIEW t{n} AS SELECT id, x FROM b{n} UNION ALL SELECT id, x FROM b{n};",
    ),
    Way(
        "check of a partition",
        "int",
        "int",
        "1",
        "CREATE TABLE t{n} (id int, x text) PARTITION BY LIST (id);"
        "CREATE TABLE c{n} PARTITION OF t{n} (CHECK (id > {f}(1) - 9)) FOR VALUES IN (1);"
        "INSERT INTO t{n} VALUES (1, 'low');",
    ),
    Way(
        "check of a domain",
        "text",
        "boolean",
        "true",
        "CREATE DOMAIN d{n} AS text CHECK ({f}(VALUE)); CREATE TABLE t{n} (id int, x d{n});"
        "INSERT INTO t{n} VALUES (1, 'low'), (2, NULL);",
    ),
    Way(
        "check of a domain in a row in an array",
        "text",
        "boolean",
        "true",
        "CREATE DOMAIN d{n} AS text CHECK ({f}(VALUE)); CREATE TYPE r{n} AS (one d{n});"
        "CREATE TABLE t{n} (id int, x r{n}[]); INSERT INTO t{n} VALUES (1, ARRAY[ROW('low')]::r{n}[]);",
    ),
    Way(
        "policy",
        "int",
        "boolean",
        "true",
        TEXT_TABLE + "ALTER TABLE t{n} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        "CREATE POLICY p ON t{n} USING ({f}(id));",
    ),
    Way(
        "policy behind a view",
        "int",
        "boolean",
        "true",
        TEXT_TABLE.replace("t{n}", "b{n}")
        + "ALTER TABLE b{n} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        "CREATE POLICY p ON b{n} USING ({f}(id)); CREATE VIEW t{n} AS SELECT * FROM b{n};",
    ),
    Way("view", "int", "text", "'x'", "CREATE VIEW t{n} AS SELECT id, {f}(id) AS x FROM colours;"),
    Way(
        "view that sorts",
        "int",
        "text",
        "'x'",
        "CREATE VIEW t{n} AS SELECT id, name AS x FROM colours ORDER BY {f}(id);",
    ),
    Way(
        "view on a view",
        "int",
        "text",
        "'x'",
        "CREATE VIEW b{n} AS SELECT id, {f}(id) AS x FROM colours; CREATE VIEW t{n} AS TABLE b{n};",
        members=("VIEW b{n}", "VIEW t{n}"),
    ),
    Way(
        "view by an operator",
        "int, int",
        "boolean",
        "true",
        "CREATE OPERATOR o{n}.<####> (leftarg = int, rightarg = int, function = {f});"
        "CREATE VIEW t{n} AS SELECT id, name AS x FROM colours WHERE id OPERATOR(o{n}.<####>) 1;",
        "CREATE SCHEMA o{n}; GRANT USAGE ON SCHEMA o{n} TO public;",
        ("OPERATOR o{n}.<####> (int, int)",),
    ),
    Way(
        "view by an aggregate",
        "int, int",
        "int",
        "1",
        "CREATE AGGREGATE a{n}(int) (sfunc = {f}, stype = int, initcond = '0');"
        "CREATE VIEW t{n} AS SELECT a{n}(id) AS x FROM colours;",
        members=("AGGREGATE a{n}(int)",),
    ),
    Way(
        "aggregate's last step in a view",
        "int",
        "int",
        "1",
        "CREATE AGGREGATE a{n}(int) (sfunc = int4larger, stype = int, initcond = '0', finalfunc = {f});"
        "CREATE VIEW t{n} AS SELECT a{n}(id) AS x FROM colours;",
        members=("AGGREGATE a{n}(int)",),
    ),
    Way("function of a row", "t{n}", "text", "'x'", "", TEXT_TABLE.replace(", x text", ", y text")),
    Way(
        "overload",
        "k{n}",
        "text",
        "'x'",
        "CREATE FUNCTION public.upper(k{n}) RETURNS text LANGUAGE sql AS 'SELECT {f}($1)';" + ENUM_TABLE,
        ENUM,
        ("FUNCTION public.upper(k{n})", "TABLE t{n}", "TYPE k{n}"),
    ),
    Way(
        "equality of its own",
        "k{n}, k{n}",
        "boolean",
        "true",
        "CREATE OPERATOR public.= (leftarg = k{n}, rightarg = k{n}, function = {f});" + ENUM_TABLE,
        ENUM,
        ("OPERATOR public.= (k{n}, k{n})",),
    ),
    Way(
        "order of its own",
        "k{n}, k{n}",
        "boolean",
        "true",
        "CREATE OPERATOR public.< (leftarg = k{n}, rightarg = k{n}, function = {f});"
        "CREATE OPERATOR public.|| (leftarg = k{n}, rightarg = k{n}, function = {f});" + ENUM_TABLE,
        ENUM,
        ("OPERATOR public.< (k{n}, k{n})",),
    ),
    Way("default", "int", "text", "'x'", TEXT_TABLE + "ALTER TABLE t{n} ALTER x SET DEFAULT {f}(1);"),
    Way(
        "rule on writing",
        "int",
        "text",
        "'x'",
        TEXT_TABLE + "CREATE RULE r AS ON INSERT TO t{n} DO ALSO SELECT {f}(1);",
    ),
)

STATEMENTS: Final = (
    "SELECT * FROM {t}",
    "SELECT count(*) FROM {t}",
    "SELECT x FROM {t}",
    "SELECT x::text FROM {t}",
    "SELECT x::jsonb FROM {t}",
    "SELECT x::text[] FROM {t}",
    "SELECT (x).one::json FROM {t}",
    "SELECT to_json((x).one) FROM {t}",
    "SELECT lower(x)::json FROM {t}",
    "SELECT to_json(lower(x)) FROM {t}",
    "SELECT id FROM {t} WHERE x = name",
    "SELECT coalesce(x, name) FROM {t}",
    "SELECT name::k{n} FROM {t}",
    "SELECT id FROM {t} WHERE x < 'low'",
    "SELECT id FROM {t} WHERE x = '{{\"(low)\"}}'",
    "SELECT t::json FROM {t} t",
    "SELECT x FROM {t} WHERE x = 'low'",
    "SELECT id FROM {t} WHERE x::text LIKE 'lo%'",
    "SELECT id FROM {t} WHERE x LIKE 'lo%'",
    "SELECT id FROM {t} WHERE id > 1 AND id < 3",
    "SELECT id FROM {t} WHERE x IN ('low', 'high')",
    "SELECT id FROM {t} WHERE x > 'low'",
    "SELECT id FROM {t} WHERE x @> 5.0",
    "SELECT id FROM {t} WHERE x && '[3,5]'",
    "SELECT id FROM {t} WHERE x << '[3,5]'",
    "SELECT x FROM {t} ORDER BY x DESC",
    "SELECT x, count(*) FROM {t} GROUP BY x",
    "SELECT DISTINCT x FROM {t}",
    "SELECT min(x), max(x) FROM {t}",
    "SELECT min(x::text) FROM {t}",
    "SELECT upper(x) FROM {t}",
    "SELECT upper(t) FROM {t} t",
    "SELECT t::text FROM {t} t",
    "SELECT t FROM {t} t",
    "SELECT t.x FROM {t} t",
    "SELECT t.hostile{n} FROM {t} t",
    "SELECT to_json(x) FROM {t}",
    "SELECT row_to_json(t) FROM {t} t",
    "SELECT json_agg(t) FROM {t} t",
    "SELECT to_jsonb(t) FROM {t} t",
    "SELECT jsonb_build_object('x', x) FROM {t}",
    "SELECT json_object_agg(coalesce(x, 'low'), 1) FROM {t}",
    "SELECT array_agg(x) FROM {t}",
    "SELECT concat(x, t) FROM {t} t",
    "SELECT format('%s', x) FROM {t}",
    "SELECT x || 'y' FROM {t}",
    "SELECT string_agg(x, ',') FROM {t}",
    "SELECT sum(x) FROM {t}",
    "SELECT coalesce(x, 'low') FROM {t}",
    "SELECT NULLIF(x, 'low') FROM {t}",
    "SELECT CASE x WHEN 'low' THEN 1 END FROM {t}",
    "SELECT CASE WHEN x THEN 1 END FROM {t}",
    "SELECT lag(x, 1, 'low') OVER (ORDER BY id) FROM {t}",
    "SELECT a.id FROM {t} a JOIN {t} b ON a.x = b.x",
    "SELECT x FROM {t} UNION SELECT x FROM {t}",
    "SELECT id FROM (SELECT id FROM {t} UNION ALL SELECT id FROM {t}) u WHERE id > 1",
    "SELECT id FROM {t} WHERE x IS DISTINCT FROM 'low'",
    "SELECT id FROM {t} WHERE NOT (x = 'low')",
    "SELECT id + 1 FROM {t} WHERE id + 1 = 2",
    "SELECT unnest(x) FROM {t}",
    "SELECT (x).one FROM {t}",
    "SELECT lower(x), upper(x) FROM {t}",
    "SELECT id FROM {t} WHERE EXISTS (SELECT 1 FROM {t} y WHERE y.x = {t}.x)",
)
"""What a machine may write about the table `{t}` of trap {n}."""


@dataclass(frozen=True)
class Trap:
    """A trap that was made: its number, what it is, and the relation to ask about."""

    number: int
    name: str
    relation: str

    @property
    def statements(self) -> list[str]:
        """What a machine may write about it."""
        return [text.format(t=self.relation, n=self.number) for text in STATEMENTS]


def _made(way: Way, language: str, extension: str, number: int) -> Iterator[str]:
    names = {"n": number, "f": f"public.hostile{number}"}

    def filled(text: str) -> str:
        return text.replace("####", "#" * (number % 9 + 1)).format(**names)

    arguments = filled(way.arguments)
    yield "SET search_path = public"
    if way.before:
        yield filled(way.before)
    body = LANGUAGES[language].format(n=number, value=filled(way.value))
    yield f"CREATE FUNCTION {names['f']}({arguments}) RETURNS {filled(way.result)} {body}"
    if way.after:
        yield filled(way.after)
    if extension:
        yield f"ALTER EXTENSION {extension} ADD FUNCTION {names['f']}({arguments})"
        for member in way.members:
            yield f"ALTER EXTENSION {extension} ADD {filled(member)}"
    yield f"GRANT SELECT ON t{number} TO public"


def plant(dsn_of_owner: str) -> tuple[list[Trap], dict[str, str]]:
    """Make every trap as the owner; returns those made, and PostgreSQL's reason where one was refused."""
    made: list[Trap] = []
    refused: dict[str, str] = {}
    numbers = itertools.count(1)
    with psycopg.connect(dsn_of_owner, autocommit=True) as connection:
        connection.execute(SETUP.encode())
        for extension in filter(None, MEMBERSHIPS.values()):
            connection.execute(f"CREATE EXTENSION {extension}".encode())
        for way, (language, kind) in itertools.product(WAYS, COMBINATIONS):
            number, extension = next(numbers), MEMBERSHIPS[kind]
            name = f"{way.name}, {language}, {kind}"
            try:
                with connection.transaction():
                    for statement in _made(way, language, extension, number):
                        connection.execute(statement.encode())
            except psycopg.Error as error:
                refused[name] = str(error)
            else:
                made.append(Trap(number, name, f"t{number}"))
        connection.execute(b"RESET search_path")
        connection.execute(b"ANALYZE")
    return made, refused


def state(connection: psycopg.Connection[Any]) -> tuple[Any, ...]:
    """What no statement of a machine may change: the roles, and rows that the traps would write."""
    roles = connection.execute(
        "SELECT array_agg(r::text ORDER BY r.oid) FROM pg_catalog.pg_roles r"
    ).fetchone()
    rows = connection.execute(
        "SELECT count(*), md5(string_agg(c::text, '')) FROM public.colours c"
    ).fetchone()
    return roles, rows
