"""The statement that reads what hangs on relations, and the names that user code can be reached by.

Qualified throughout, as in `sql.introspection.queries`. Owns: the statement.
"""

from __future__ import annotations

from typing import Final

from askwire.sql.literals import quote_literal
from askwire.sql.qualified import EQ, FIRST_USER_OID, GE, GT, LE, LT, NE
from askwire.sql.safety.extensions import trusted_extensions

MAX_UNREADABLE: Final = 5000
"""Names of what the asker may not read that are shown."""

USER: Final = f"{GE} {FIRST_USER_OID}::pg_catalog.oid"
OUTSIDE: Final = f"{NE} 'pg_catalog'::pg_catalog.regnamespace"
_DOT: Final = "OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||)"


def _class(name: str) -> str:
    return f"{EQ} 'pg_catalog.{name}'::pg_catalog.regclass"


def usable(namespace: str) -> str:
    """The condition that names of a schema are shown about: user code that the asker can reach."""
    return f"""{namespace} {OUTSIDE} AND NOT pg_catalog.pg_is_other_temp_schema({namespace})
      AND pg_catalog.has_schema_privilege({namespace}, 'USAGE')"""


CODE: Final = f"""code(kind, relation, class, object, tree) AS MATERIALIZED (
  SELECT CASE WHEN c.relkind {EQ} 'm' THEN 'stored' ELSE 'view' END, w.ev_class, w.tableoid, w.oid,
    CASE WHEN c.relkind {NE} 'm' THEN w.ev_action::pg_catalog.text END
  FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_class c ON c.oid {EQ} w.ev_class
  WHERE w.ev_class {USER} AND w.ev_type {EQ} '1'
  UNION ALL
  SELECT 'policy', p.polrelid, p.tableoid, p.oid, p.polqual::pg_catalog.text FROM pg_catalog.pg_policy p
  WHERE p.polcmd {EQ} ANY (ARRAY['r', '*']::pg_catalog."char"[])
  UNION ALL
  SELECT 'check', k.contypid, k.tableoid, k.oid, k.conbin::pg_catalog.text FROM pg_catalog.pg_constraint k
  WHERE k.contypid {USER} AND k.contype {EQ} 'c'
  UNION ALL
  SELECT 'table', i.indrelid, 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid, NULL
  FROM pg_catalog.pg_index i
  WHERE i.indrelid {USER} AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
  UNION ALL
  SELECT 'table', s.stxrelid, s.tableoid, s.oid, NULL FROM pg_catalog.pg_statistic_ext s
  UNION ALL
  SELECT 'table', t.partrelid, 'pg_catalog.pg_class'::pg_catalog.regclass, t.partrelid, NULL
  FROM pg_catalog.pg_partitioned_table t WHERE t.partexprs IS NOT NULL
  UNION ALL
  SELECT 'table', f.adrelid, f.tableoid, f.oid, NULL
  FROM pg_catalog.pg_attrdef f JOIN pg_catalog.pg_attribute a ON a.attrelid {EQ} f.adrelid
    AND a.attnum {EQ} f.adnum AND a.attgenerated {EQ} 'v'
  UNION ALL
  SELECT 'table', k.conrelid, k.tableoid, k.oid, NULL FROM pg_catalog.pg_constraint k
  WHERE k.contype {EQ} 'c' AND k.conrelid {USER})"""
"""What is run when a relation is read: the query of a view, the policies for SELECT of a table; and when a
value is converted to a domain: its checks. What a materialized view ran is over.

The planner computes what is constant in the expressions of indexes, statistics, partition keys and checks
(`eval_const_expressions`), and so runs functions that call themselves immutable. It looks at the checks of
every table that is part of something: a child, a parent with children, an arm of UNION ALL, in the statement
or in a view; with `constraint_exclusion = on` at all. A virtual column is computed when it is read.
"""

_BUILT_IN_LANGUAGE: Final = f"""EXISTS (SELECT FROM pg_catalog.pg_language l WHERE l.oid {EQ} p.prolang
      AND l.oid {LT} {FIRST_USER_OID}::pg_catalog.oid
      AND l.lanname {EQ} ANY (ARRAY['c', 'internal']::pg_catalog.name[]))"""
"""Functions that only a superuser can make."""

_TRUSTED: Final = ", ".join(map(quote_literal, trusted_extensions()))

_PROVEN: Final = f"""p.prokind {NE} 'a' AND {_BUILT_IN_LANGUAGE}
    AND EXISTS (SELECT FROM pg_catalog.pg_depend e
      JOIN pg_catalog.pg_extension x ON e.refclassid {_class("pg_extension")} AND x.oid {EQ} e.refobjid
      WHERE e.classid {_class("pg_proc")} AND e.objid {EQ} p.oid AND e.deptype {EQ} 'e'
        AND x.extname {EQ} ANY (ARRAY[{_TRUSTED}]::pg_catalog.name[]))"""
"""Functions in C of a reviewed extension. (An aggregate's language does not describe what it calls.)"""

_UNPROVEN: Final = f"""unproven(oid, name) AS MATERIALIZED (
  SELECT p.oid, n.nspname::pg_catalog.text {_DOT} p.proname::pg_catalog.text
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid {EQ} p.pronamespace
  WHERE p.oid {USER} AND NOT ({_PROVEN})),
called(family, type, name) AS MATERIALIZED (
  SELECT s.amprocfamily, e.type, unproven.name
  FROM pg_catalog.pg_amproc s JOIN unproven ON unproven.oid {EQ} s.amproc::pg_catalog.oid,
    pg_catalog.unnest(ARRAY[s.amproclefttype, s.amprocrighttype]) e(type)
  UNION
  SELECT s.amopfamily, e.type, unproven.name
  FROM pg_catalog.pg_amop s JOIN pg_catalog.pg_operator o ON o.oid {EQ} s.amopopr
  CROSS JOIN LATERAL pg_catalog.unnest(ARRAY[o.oprcode, o.oprrest, o.oprjoin]::pg_catalog.oid[]) p(oid)
  JOIN unproven ON unproven.oid {EQ} p.oid,
    pg_catalog.unnest(ARRAY[s.amoplefttype, s.amoprighttype]) e(type))"""
"""The functions that nothing vouches for, and where operator families call them. Being a member of an
extension proves nothing: its owner can add functions to it."""

CHECKED: Final = f"""holds(type, part) AS MATERIALIZED (
  SELECT t.oid, t.typbasetype FROM pg_catalog.pg_type t WHERE t.typbasetype {USER}
  UNION ALL
  SELECT t.oid, t.typelem FROM pg_catalog.pg_type t WHERE t.typcategory {EQ} 'A' AND t.typelem {USER}
  UNION ALL
  SELECT c.reltype, a.atttypid
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid {EQ} a.attrelid
  WHERE a.atttypid {USER} AND a.attnum {GT} 0 AND NOT a.attisdropped AND c.reltype {NE} 0
  UNION ALL
  SELECT r.rngtypid, r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngsubtype {USER}
  UNION ALL
  SELECT (pg_catalog.to_jsonb(r) OPERATOR(pg_catalog.->>) 'rngmultitypid')::pg_catalog.oid, r.rngtypid
  FROM pg_catalog.pg_range r WHERE r.rngtypid {USER}),
checked(type, domain) AS (
  SELECT code.relation, code.relation FROM code WHERE code.kind {EQ} 'check'
  UNION
  SELECT holds.type, checked.domain FROM checked JOIN holds ON holds.part {EQ} checked.type)"""
"""The types that hold a domain with a check, whatever lies between: domains, arrays, rows, ranges. (A server
before multiranges has no `rngmultitypid`.)"""

_RUNNING: Final = f"""unsafe(type, names) AS MATERIALIZED (
  SELECT f.type, pg_catalog.array_agg(DISTINCT f.name) FROM (
    SELECT e.type, unproven.name
    FROM pg_catalog.pg_cast k JOIN unproven ON unproven.oid {EQ} k.castfunc,
      pg_catalog.unnest(ARRAY[k.castsource, k.casttarget]) e(type)
    WHERE e.type {USER} OR NOT (k.castsource {USER} OR k.casttarget {USER})
    UNION ALL
    SELECT t.oid, unproven.name
    FROM pg_catalog.pg_type t CROSS JOIN LATERAL pg_catalog.unnest(ARRAY[t.typinput, t.typoutput,
      t.typreceive, t.typsend, t.typmodin, t.typmodout, t.typanalyze]::pg_catalog.oid[]) e(oid)
    JOIN unproven ON unproven.oid {EQ} e.oid
    WHERE t.oid {USER}
    UNION ALL
    SELECT r.rngtypid, unproven.name
    FROM pg_catalog.pg_range r CROSS JOIN LATERAL pg_catalog.unnest(
      ARRAY[r.rngcanonical, r.rngsubdiff]::pg_catalog.oid[]) e(oid)
    JOIN unproven ON unproven.oid {EQ} e.oid
    UNION ALL
    SELECT r.rngtypid, called.name
    FROM pg_catalog.pg_range r JOIN pg_catalog.pg_opclass o ON o.oid {EQ} r.rngsubopc
    JOIN called ON called.family {EQ} o.opcfamily
    UNION ALL
    SELECT called.type, called.name FROM called
    WHERE called.type {USER} OR EXISTS (SELECT FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m
      ON m.oid {EQ} o.opcmethod AND m.amname {EQ} ANY (ARRAY['btree', 'hash']::pg_catalog.name[])
      WHERE o.opcfamily {EQ} called.family AND o.opcintype {EQ} called.type AND o.opcdefault)
    UNION ALL
    SELECT t.oid, called.name
    FROM called JOIN pg_catalog.pg_type y ON y.oid {EQ} called.type AND y.typtype {EQ} 'p'
    JOIN pg_catalog.pg_type t ON t.oid {USER} AND t.typtype {NE} 'p') f(type, name)
  GROUP BY f.type),
reached(type, origin) AS (
  SELECT unsafe.type, unsafe.type FROM unsafe
  UNION
  SELECT holds.type, reached.origin FROM reached JOIN holds ON holds.part {EQ} reached.type),
running(type, names) AS MATERIALIZED (
  SELECT reached.type, pg_catalog.array_agg(DISTINCT n.name)
  FROM reached JOIN unsafe ON unsafe.type {EQ} reached.origin, pg_catalog.unnest(unsafe.names) n(name)
  GROUP BY reached.type)"""
"""The types whose values run unproven functions when they are converted, compared, sorted, planned for or
shown, whatever lies between.

Casts between built-in types and default operator classes of theirs count for these types themselves. An
operator class of a pseudo-type (`anyenum`) counts for every type of the user's."""

OPEN: Final = f"""open(types) AS MATERIALIZED (SELECT ARRAY(
  SELECT t.oid FROM pg_catalog.pg_type t
  WHERE t.typnamespace {OUTSIDE} AND t.typispreferred
  UNION
  SELECT t.oid FROM pg_catalog.pg_cast k
  JOIN pg_catalog.pg_type s ON s.oid {EQ} k.castsource
  JOIN pg_catalog.pg_type t ON t.oid {EQ} k.casttarget
  WHERE k.castcontext {EQ} 'i' AND t.typnamespace {OUTSIDE}
    AND s.typnamespace {EQ} 'pg_catalog'::pg_catalog.regnamespace))"""

_OWN_TYPE: Final = f"""pg_catalog.pg_type a
  JOIN pg_catalog.pg_type e ON e.oid {EQ} CASE WHEN a.typcategory {EQ} 'A' THEN a.typelem ELSE a.oid END
    AND e.typnamespace {OUTSIDE} AND e.oid {NE} ALL (open.types)
    AND e.typtype {EQ} ANY (ARRAY['b', 'e', 'c', 'r', 'm']::pg_catalog."char"[])"""
"""Argument types `a` that no value of a built-in type can stand for, with their element types `e`."""

_ALL_OWN: Final = (
    "NOT EXISTS (SELECT FROM pg_catalog.unnest({types}) every(type) WHERE NOT EXISTS (SELECT FROM "
    + _OWN_TYPE.replace("{", "{{").replace("}", "}}")
    + f" WHERE a.oid {EQ} every.type))"
)
"""That an overload has only such arguments: a literal can stand for any, and where some are built-in types
the others may be literals."""

_MARKED: Final = """pg_catalog.replace(pg_catalog.replace(
    pg_catalog.replace(code.tree, ':aggfnoid ', ':funcid '), ':winfnoid ', ':funcid '),
    ':opfuncid ', ':funcid ')"""
"""A node tree with every function it calls marked alike. What belongs to PostgreSQL itself has no rows in
pg_depend; and in a node tree no name or constant can look like such a mark with a number behind it, because
spaces in names are escaped and constants are written as numbers."""

_UNDERSTOOD: Final = ", ".join(
    f"'pg_catalog.{name}'"
    for name in (
        *("pg_am", "pg_attrdef", "pg_class", "pg_collation", "pg_constraint", "pg_extension", "pg_namespace"),
        *("pg_opclass", "pg_operator", "pg_opfamily", "pg_proc", "pg_rewrite", "pg_statistic_ext"),
        *("pg_ts_config", "pg_ts_dict", "pg_type"),
    )
)
"""The catalogs of what views, policies, checks, indexes and statistics are known to depend on."""

UNKNOWN_OBJECTS: Final = f"""
  SELECT code.kind, code.relation, 'an object of ' OPERATOR(pg_catalog.||) k.relname::pg_catalog.text
  FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
  JOIN pg_catalog.pg_class k ON k.oid {EQ} d.refclassid
  WHERE d.refclassid {NE} ALL (ARRAY[{_UNDERSTOOD}]::pg_catalog.regclass[])"""
"""What code depends on of a kind that is not known: it counts as a function that is not allowed."""

_ATTACHED: Final = f"""attached(kind, relation, name) AS MATERIALIZED (
  SELECT code.kind, code.relation, n.nspname::pg_catalog.text {_DOT} p.proname::pg_catalog.text
  FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
  LEFT JOIN pg_catalog.pg_operator o ON d.refclassid {_class("pg_operator")} AND o.oid {EQ} d.refobjid
  JOIN pg_catalog.pg_proc p ON p.oid {EQ} ANY (CASE WHEN d.refclassid {_class("pg_proc")}
    THEN ARRAY[d.refobjid] ELSE ARRAY[o.oprcode, o.oprrest, o.oprjoin]::pg_catalog.oid[] END)
  JOIN pg_catalog.pg_namespace n ON n.oid {EQ} p.pronamespace
  WHERE p.oid {USER} AND NOT ((code.kind {EQ} 'table' OR p.provolatile {EQ} 'i') AND {_PROVEN})
  UNION ALL
  SELECT code.kind, code.relation, pg_catalog.unnest(running.names)
  FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
    AND d.objsubid {EQ} 0 AND d.refclassid {_class("pg_type")}
  JOIN running ON running.type {EQ} d.refobjid
  UNION ALL
  SELECT code.kind, code.relation, pg_catalog.unnest(running.names)
  FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
    AND d.refclassid {_class("pg_class")} AND d.refobjid {NE} code.relation
  JOIN pg_catalog.pg_attribute a ON a.attrelid {EQ} d.refobjid AND a.attnum {GT} 0
    AND (a.attnum {EQ} d.refobjsubid OR pg_catalog.strpos(code.tree, ':varattno 0 ') {GT} 0)
  JOIN running ON running.type {EQ} a.atttypid
  WHERE code.kind {NE} 'table'
  UNION ALL{UNKNOWN_OBJECTS}
  UNION ALL
  SELECT 'table', COALESCE(i.indrelid, d.objid), called.name
  FROM called JOIN pg_catalog.pg_opclass o ON o.opcfamily {EQ} called.family
  JOIN pg_catalog.pg_depend d ON d.refclassid {_class("pg_opclass")} AND d.refobjid {EQ} o.oid
    AND d.classid {_class("pg_class")}
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid {EQ} d.objid
  UNION ALL
  SELECT 'table', COALESCE(i.indrelid, c.oid), unproven.name
  FROM pg_catalog.pg_am m JOIN unproven ON unproven.oid {EQ} m.amhandler::pg_catalog.oid
  JOIN pg_catalog.pg_class c ON c.relam {EQ} m.oid
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid {EQ} c.oid
  UNION ALL
  SELECT 'table', c.oid, n.name
  FROM running CROSS JOIN LATERAL pg_catalog.unnest(running.names) n(name)
  JOIN pg_catalog.pg_type t ON t.oid {EQ} running.type
  JOIN pg_catalog.pg_class c ON c.oid {EQ} t.typrelid AND c.reltype {EQ} t.oid
  WHERE t.typrelid {NE} 0 AND EXISTS (SELECT FROM pg_catalog.pg_cast k
    JOIN unproven ON unproven.oid {EQ} k.castfunc AND unproven.name {EQ} n.name
    WHERE t.oid {EQ} ANY (ARRAY[k.castsource, k.casttarget])))"""
"""What reading a relation, or converting to a domain, runs that nothing vouches for, with its name.

A view, policy or check may call immutable functions in C of the reviewed extensions; what only the planner
computes may be any of theirs. A view's columns count where its query could convert them while it runs
(`row_to_json` looks a cast up that no dependency names). A table counts the operator classes and access
methods of itself and its indexes, and casts of its row type."""

_READING_SETTINGS: Final = ":funcid (?:2077|3294) "
"""Calls of current_setting in a node tree: OIDs below 10000 are the same on every server."""

_CONSTANT_NAME: Final = _READING_SETTINGS + r"[^{}]*:args \(\{CONST [^{}]*:constvalue \d+ \[ ([-0-9 ]+)\]"

READING: Final = f"""
  SELECT code.tree FROM code WHERE code.kind {EQ} ANY (ARRAY['policy', 'view', 'check'])
    AND (pg_catalog.strpos(code.tree, ':funcid 2077 ') {GT} 0
      OR pg_catalog.strpos(code.tree, ':funcid 3294 ') {GT} 0)"""
"""The node trees of code that read settings."""

_SETTINGS: Final = f"""helpers(tree, defaults, source, known) AS MATERIALIZED (
  SELECT pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'prosqlbody', p.proargdefaults::pg_catalog.text,
    p.prosrc, l.lanname {EQ} ANY (ARRAY['sql', 'plpgsql']::pg_catalog.name[])
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid {EQ} p.prolang
  WHERE p.oid {USER} AND p.prokind {EQ} 'f' AND EXISTS (SELECT FROM unproven
    JOIN attached ON attached.name {EQ} unproven.name
    WHERE attached.kind {EQ} ANY (ARRAY['policy', 'view']))),
trees(tree) AS MATERIALIZED ({READING}
  UNION ALL
  SELECT helpers.tree FROM helpers WHERE helpers.tree IS NOT NULL
  UNION ALL
  SELECT helpers.defaults FROM helpers WHERE helpers.defaults IS NOT NULL)"""
"""Where the settings are read that decide what a policy or view shows: in itself, in checks of domains, or,
where one calls a function of the user's, in any of these."""

PARTS: Final = (
    rf"""
SELECT 'settings' AS kind, 0::pg_catalog.oid AS oid, pg_catalog.json_build_object(
  'calls', (SELECT pg_catalog.count(*)
    FROM trees, pg_catalog.regexp_matches(trees.tree, '{_READING_SETTINGS}', 'g')),
  'bytes', (SELECT pg_catalog.json_agg(m.found[1])
    FROM trees, pg_catalog.regexp_matches(trees.tree, '{_CONSTANT_NAME}', 'g') m(found)),
  'sources', (SELECT pg_catalog.count(*)
    FROM helpers, pg_catalog.regexp_matches(helpers.source, 'current_setting', 'gi')),
  'names', (SELECT pg_catalog.json_agg(m.found[1]) FROM helpers, pg_catalog.regexp_matches(
    helpers.source, 'current_setting\s*\(\s*''([^'']+)''\s*(?:::\s*text\s*)?[,)]', 'gi') m(found)),
  'opaque', (SELECT pg_catalog.count(*) FROM helpers
    WHERE NOT helpers.known OR helpers.source OPERATOR(pg_catalog.~*) '\m(?:execute|show|pg_settings)\M')
    OPERATOR(pg_catalog.+) (SELECT pg_catalog.count(*) FROM code
      WHERE code.kind {EQ} ANY (ARRAY['policy', 'view'])
        AND (pg_catalog.strpos(code.tree, ':funcid 2084 ') {GT} 0 OR pg_catalog.strpos(code.tree, ':relid '
        OPERATOR(pg_catalog.||) 'pg_catalog.pg_settings'::pg_catalog.regclass::pg_catalog.oid::pg_catalog.text
        OPERATOR(pg_catalog.||) ' ') {GT} 0)))::pg_catalog.text
  AS data""",
    f"""
SELECT 'unique' AS kind, i.indrelid AS oid, pg_catalog.json_build_array(
    i.indisprimary, i.indkey::pg_catalog.text, i.indnkeyatts)::pg_catalog.text AS data
FROM pg_catalog.pg_index i
WHERE i.indrelid {USER} AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL""",
    f"""
SELECT 'indexed', i.indrelid, pg_catalog.json_agg(DISTINCT a.attnum)::pg_catalog.text
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class x ON x.oid {EQ} i.indexrelid
JOIN pg_catalog.pg_am m ON m.oid {EQ} x.relam
  AND m.amname {EQ} ANY (ARRAY['btree', 'hash']::pg_catalog.name[])
JOIN pg_catalog.pg_attribute a ON a.attrelid {EQ} i.indrelid AND a.attnum {EQ} i.indkey[0]
JOIN pg_catalog.pg_type t ON t.oid {EQ} a.atttypid AND t.typcategory {EQ} 'S'
WHERE i.indrelid {USER} AND i.indisvalid AND i.indpred IS NULL
GROUP BY i.indrelid""",
    f"""
SELECT 'foreign', k.conrelid, pg_catalog.json_build_array(
    k.conkey, k.confrelid, k.confkey)::pg_catalog.text
FROM pg_catalog.pg_constraint k WHERE k.contype {EQ} 'f' AND k.conparentid {EQ} 0""",
    """
SELECT 'enum', e.enumtypid, pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder)::pg_catalog.text
FROM pg_catalog.pg_enum e GROUP BY e.enumtypid""",
    f"""
SELECT 'domain', t.oid, pg_catalog.json_build_array(t.typname, t.typbasetype, b.typname)::pg_catalog.text
FROM pg_catalog.pg_type t JOIN pg_catalog.pg_type b ON b.oid {EQ} t.typbasetype
WHERE t.typtype {EQ} 'd'""",
    f"""
SELECT 'types', 0, pg_catalog.json_agg(DISTINCT t.typname)::pg_catalog.text
FROM pg_catalog.pg_type t
WHERE t.typcategory {NE} 'A' AND {usable("t.typnamespace")}
  AND NOT pg_catalog.starts_with(t.typnamespace::pg_catalog.regnamespace::pg_catalog.text, 'pg_toast')""",
    f"""
SELECT code.kind OPERATOR(pg_catalog.||) ' reads', code.relation,
  pg_catalog.json_agg(DISTINCT d.refobjid::pg_catalog.text)::pg_catalog.text
FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
  AND d.refclassid {_class("pg_class")} AND d.refobjid {NE} code.relation
WHERE code.kind {NE} 'table'
GROUP BY code.kind, code.relation""",
    """
SELECT attached.kind OPERATOR(pg_catalog.||) ' runs', attached.relation,
  pg_catalog.json_agg(DISTINCT attached.name)::pg_catalog.text
FROM attached GROUP BY attached.kind, attached.relation""",
    f"""
SELECT code.kind OPERATOR(pg_catalog.||) ' calls', code.relation, pg_catalog.json_agg(DISTINCT
  'pg_catalog' {_DOT} p.proname::pg_catalog.text)::pg_catalog.text
FROM code, pg_catalog.unnest(pg_catalog.string_to_array({_MARKED}, ':funcid '))
  WITH ORDINALITY AS part(rest, number)
JOIN pg_catalog.pg_proc p ON p.oid::pg_catalog.text {EQ} pg_catalog.split_part(part.rest, ' ', 1)
WHERE part.number {GT} 1 AND p.pronamespace {EQ} 'pg_catalog'::pg_catalog.regnamespace
  AND p.provolatile {NE} 'i'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator o
    WHERE o.oprcode {EQ} p.oid AND o.oprnamespace {EQ} 'pg_catalog'::pg_catalog.regnamespace)
GROUP BY code.kind, code.relation""",
    f"""
SELECT code.kind OPERATOR(pg_catalog.||) ' types', code.relation,
  pg_catalog.json_agg(DISTINCT d.refobjid::pg_catalog.text)::pg_catalog.text
FROM code JOIN pg_catalog.pg_depend d ON d.classid {EQ} code.class AND d.objid {EQ} code.object
  AND d.refclassid {_class("pg_type")} AND d.refobjid {NE} code.relation
WHERE code.kind {NE} 'table'
GROUP BY code.kind, code.relation""",
    """
SELECT 'checked', checked.type, pg_catalog.json_agg(DISTINCT checked.domain::pg_catalog.text)::pg_catalog.text
FROM checked GROUP BY checked.type""",
    """
SELECT 'children', i.inhparent, pg_catalog.json_agg(i.inhrelid::pg_catalog.text)::pg_catalog.text
FROM pg_catalog.pg_inherits i GROUP BY i.inhparent""",
    f"""
SELECT 'unreadable', 0, pg_catalog.json_agg(pg_catalog.json_build_array(hidden.name, hidden.on_path)
  ORDER BY hidden.name)::pg_catalog.text FROM (
  SELECT CASE WHEN a.attnum IS NULL THEN c.relname::pg_catalog.text
    ELSE c.relname::pg_catalog.text {_DOT} a.attname::pg_catalog.text END AS name,
    a.attnum IS NULL AND pg_catalog.pg_table_is_visible(c.oid) AS on_path
  FROM pg_catalog.pg_class c
  LEFT JOIN pg_catalog.pg_attribute a ON pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
    AND a.attrelid {EQ} c.oid AND a.attnum {GT} 0 AND NOT a.attisdropped
  WHERE c.relkind {EQ} ANY (ARRAY['r', 'p', 'v', 'm', 'f']::pg_catalog."char"[]) AND c.oid {USER}
    AND NOT c.relispartition
    AND NOT pg_catalog.has_table_privilege(c.oid, 'SELECT')
    AND (a.attnum IS NULL OR NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'))
    AND {usable("c.relnamespace")}
    AND c.relnamespace {NE} 'information_schema'::pg_catalog.regnamespace
  LIMIT {MAX_UNREADABLE}) hidden""",
    f"""
SELECT 'foreign tables', 0, pg_catalog.json_agg(c.oid)::pg_catalog.text
FROM pg_catalog.pg_class c WHERE c.relkind {EQ} 'f'""",
    """
SELECT 'secured tables', 0, pg_catalog.json_agg(c.oid)::pg_catalog.text
FROM pg_catalog.pg_class c WHERE c.relrowsecurity""",
)

_OF_FUNCTIONS: Final = (
    f"""
SELECT 'functions', 0, pg_catalog.json_agg(pg_catalog.json_build_array(p.proname, ARRAY(
    SELECT pg_catalog.unnest(ARRAY[a.oid, e.oid, e.typarray])
    FROM pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) WITH ORDINALITY arg(type, number), {_OWN_TYPE}
    WHERE a.oid {EQ} arg.type AND arg.number {LE} p.pronargs
      AND {_ALL_OWN.format(types="p.proargtypes::pg_catalog.oid[]")}
      AND p.pronargs {GT} p.pronargdefaults)))::pg_catalog.text
FROM pg_catalog.pg_proc p, open WHERE {usable("p.pronamespace")}""",
    f"""
SELECT 'operators', 0, pg_catalog.json_agg(pg_catalog.json_build_array(o.oprname, ARRAY(
    SELECT pg_catalog.unnest(ARRAY[a.oid, e.oid, e.typarray])
    FROM {_OWN_TYPE}
    WHERE a.oid {EQ} ANY (ARRAY[o.oprleft, o.oprright])
      AND {_ALL_OWN.format(types="pg_catalog.array_remove(ARRAY[o.oprleft, o.oprright], 0::pg_catalog.oid)")})
    ))::pg_catalog.text
FROM pg_catalog.pg_operator o, open WHERE {usable("o.oprnamespace")}""",
    """
SELECT 'open_types', 0, pg_catalog.array_to_json(open.types)::pg_catalog.text FROM open""",
    """
SELECT 'type_runs', 0,
  pg_catalog.json_object_agg(running.type::pg_catalog.text, running.names)::pg_catalog.text
FROM running""",
)
"""Parts in which the functions that users made count."""

ATTACHMENTS: Final = (
    f"WITH RECURSIVE {CODE}, {OPEN}, {_UNPROVEN}, {CHECKED}, {_RUNNING}, {_ATTACHED}, {_SETTINGS}"
    + "\nUNION ALL".join((*PARTS, *_OF_FUNCTIONS))
)
"""Rows (kind, oid, JSON).

About a relation: 'unique' [primary, 'attnum attnum …', number of key columns], 'foreign' [[attnum],
referenced relation, [attnum]], 'children' [relation], and of its view query, stored query or policies
'view reads', 'stored reads', 'policy reads' [relation].

Of view queries, policies and the checks of domains (by the domain's OID): 'view runs', 'policy runs', 'check
runs' ['schema.function' that nothing vouches for, see `_ATTACHED`], '… calls' ['pg_catalog.function', neither
immutable nor behind an operator of pg_catalog] and '… types' [type outside pg_catalog that it converts values
to]. 'table runs' is the same of what the planner computes of a table.

About a type: 'enum' [label], 'domain' [name, base type, base type's name], 'checked' [domain with a check
that values of this type hold, itself included].

About the database: 'types' [name], 'functions' and 'operators' [name, [types outside pg_catalog that an
overload cannot be called without, and their arrays; none where it has an argument of another type]],
'open_types', 'foreign tables' and 'secured tables' [OID], 'settings' (`Attachments.settings`: how many calls
of current_setting policies and views have, and which names they give), 'type_runs' {type's OID:
['schema.function' that converting, comparing or showing its values runs, which nothing vouches for]},
'unreadable' [name or 'relation.column' that the asker may not SELECT].

Index expressions and partial indexes are no keys; the copies of a foreign key that PostgreSQL makes for
partitions are left out.
"""
