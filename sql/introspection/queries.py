"""The statements that read the system catalogs, as the asker and on the asker's connection.

Every name in them is qualified, operators, types and functions included: an object of a user's schema with
better matching argument types, or a search_path that puts another schema before pg_catalog, must never be
what runs here. Forms whose operator cannot be qualified (IN, USING, CASE with an operand, IS DISTINCT FROM)
do not occur. They run on PostgreSQL 13 and later.

Owns: the statements.
"""

from __future__ import annotations

from typing import Final

from askwire.sql.catalog import PLAIN_NUMBER
from askwire.sql.qualified import EQ, FIRST_USER_OID, GE, GT, LE, LT, MINUS, NE


def _mark(catalog: str, owner: str, *, own: bool = False, where: str = "true") -> str:
    """Number of the visible row versions of one system catalog and the sum of their ages, as one text.

    A later change carries a later transaction ID, so the pair differs after any insert, update or delete;
    ages are taken against a fixed transaction ID, because age() itself moves, and 2147483647 is the age of
    a frozen row. Within the asker's own writing transaction an xmin may repeat: there the command ID counts
    too. `owner` is the column with the OID of a user's object; with `own` it names a relation, and those of
    other sessions' temporary schemas are left out: they are not the asker's and change all the time.
    """
    mine = f"AND x.{owner} {NE} ALL (session.others)" if own else ""
    return f"""(SELECT pg_catalog.concat_ws('.', pg_catalog.count(*),
        pg_catalog.sum(CASE WHEN pg_catalog.age(x.xmin) {LT} 2147483647
            THEN session.origin {MINUS} pg_catalog.age(x.xmin) END),
        pg_catalog.sum(CASE WHEN session.writes THEN x.cmin::pg_catalog.text::pg_catalog.int8 END))
      FROM pg_catalog.{catalog} x
      WHERE x.{owner} {GE} {FIRST_USER_OID}::pg_catalog.oid {mine} AND {where})"""


_MARKS: Final = {
    "pg_class": _mark("pg_class", "oid", own=True),
    "pg_attribute": _mark("pg_attribute", "attrelid", own=True, where=f"x.attnum {GT} 0"),
    "pg_index": _mark("pg_index", "indrelid", own=True),
    "pg_constraint": _mark("pg_constraint", "oid", where=f"x.conrelid {NE} ALL (session.others)"),
    "pg_inherits": _mark("pg_inherits", "inhrelid", own=True),
    "pg_rewrite": _mark("pg_rewrite", "ev_class", own=True),
    "pg_type": _mark("pg_type", "oid", where=f"x.typelem {EQ} 0 AND x.typrelid {NE} ALL (session.others)"),
    "pg_policy": _mark("pg_policy", "polrelid"),
    "pg_description": _mark("pg_description", "objoid"),
    "pg_enum": _mark("pg_enum", "enumtypid"),
    "pg_proc": _mark("pg_proc", "oid"),
    "pg_operator": _mark("pg_operator", "oid"),
    "pg_cast": _mark("pg_cast", "oid"),
    "pg_statistic_ext": _mark("pg_statistic_ext", "stxrelid"),
    "pg_attrdef": _mark("pg_attrdef", "adrelid", own=True),
    "pg_opclass": _mark("pg_opclass", "oid"),
    "pg_amop": _mark("pg_amop", "oid"),
    "pg_amproc": _mark("pg_amproc", "oid"),
    "pg_am": _mark("pg_am", "oid"),
    "pg_extension": _mark("pg_extension", "oid"),
}

FINGERPRINT: Final = f"""
WITH session AS MATERIALIZED (SELECT
    pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL AS writes,
    pg_catalog.age('3'::pg_catalog.xid)::pg_catalog.int8 AS origin,
    pg_catalog.pg_my_temp_schema() AS temporary,
    ARRAY(SELECT c.oid FROM pg_catalog.pg_class c
        WHERE c.relpersistence {EQ} 't' AND c.relnamespace {NE} pg_catalog.pg_my_temp_schema()) AS others)
SELECT pg_catalog.concat_ws(':', {", ".join(_MARKS.values())},
    (SELECT pg_catalog.string_agg(pg_catalog.concat_ws('.', n.oid, n.xmin), ',' ORDER BY n.oid)
       FROM pg_catalog.pg_namespace n
       WHERE NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_temp_')
         AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_toast_temp_')),
    (SELECT pg_catalog.concat_ws('.', pg_catalog.count(*),
         pg_catalog.sum(m.xmin::pg_catalog.text::pg_catalog.int8)) FROM pg_catalog.pg_auth_members m),
    (SELECT pg_catalog.concat_ws('.', r.oid, r.rolsuper, r.rolbypassrls, r.rolinherit)
       FROM pg_catalog.pg_roles r WHERE r.rolname {EQ} current_user),
    CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace {EQ} session.temporary)
         THEN session.temporary END) AS fingerprint,
  (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c
     WHERE c.oid {GE} {FIRST_USER_OID}::pg_catalog.oid AND c.relpages {GT} 0) AS analyzed
FROM session
"""
"""One row: (fingerprint, analyzed).

`fingerprint` differs after any DDL, grant, comment, policy or role membership that can change what the asker
sees; `analyzed` counts relations with statistics and changes when a table gets its first ones.
"""


def counted(fingerprint: str, catalog: str) -> int | None:
    """The rows that a fingerprint counted in a catalog of `_MARKS`; None if it is no fingerprint."""
    marks, place = fingerprint.split(":"), list(_MARKS).index(catalog)
    number = marks[place].partition(".")[0] if place < len(marks) else ""
    return int(number) if number.isdecimal() else None


_READABLE: Final = f"""
    c.relkind {EQ} ANY (ARRAY['r', 'p', 'v', 'm', 'f']::pg_catalog."char"[])
    AND c.relispopulated
    AND c.oid {GE} {FIRST_USER_OID}::pg_catalog.oid
    AND NOT pg_catalog.pg_is_other_temp_schema(c.relnamespace)
    AND n.nspname {NE} 'information_schema'
    AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_toast')
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
         OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))"""

RELATIONS: Final = f"""
WITH readable AS MATERIALIZED (
  SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples, c.relpages, c.relispartition,
         pg_catalog.pg_table_is_visible(c.oid) AS visible,
         pg_catalog.has_table_privilege(c.oid, 'SELECT') AS whole,
         pg_catalog.row_security_active(c.oid) AS secured,
         pg_catalog.sum(c.relnatts) OVER (
           ORDER BY pg_catalog.pg_table_is_visible(c.oid) DESC, c.relispartition, c.relpages DESC, c.oid
           ROWS UNBOUNDED PRECEDING) AS columns_so_far,
         pg_catalog.count(*) OVER () AS readable_relations
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid {EQ} c.relnamespace
  WHERE {_READABLE})
SELECT c.oid, c.nspname, c.relname, c.relkind,
  CASE WHEN c.relpages {EQ} 0 AND c.reltuples {EQ} 0
            AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 {LT} 140000
       THEN -1 ELSE c.reltuples END AS reltuples,
  (SELECT d.description FROM pg_catalog.pg_description d
   WHERE d.objoid {EQ} c.oid AND d.objsubid {EQ} 0
     AND d.classoid {EQ} 'pg_catalog.pg_class'::pg_catalog.regclass) AS comment,
  c.visible,
  c.secured,
  CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::pg_catalog.oid END AS partition_of,
  (SELECT pg_catalog.json_agg(pg_catalog.json_build_array(
       a.attnum, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypid, t.typcategory,
       a.attnotnull, d.description) ORDER BY a.attnum)
   FROM pg_catalog.pg_attribute a
   JOIN pg_catalog.pg_type t ON t.oid {EQ} a.atttypid
   LEFT JOIN pg_catalog.pg_description d ON d.objoid {EQ} c.oid AND d.objsubid {EQ} a.attnum
     AND d.classoid {EQ} 'pg_catalog.pg_class'::pg_catalog.regclass
   WHERE a.attrelid {EQ} c.oid AND a.attnum {GT} 0 AND NOT a.attisdropped
     AND (c.whole OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'))) AS columns,
  c.readable_relations,
  c.columns_so_far
FROM readable c
WHERE c.columns_so_far {LE} $1::pg_catalog.int8
ORDER BY c.nspname, c.relname
"""
"""One row per relation the asker may read; `$1` caps the number of columns of all of them together.

(oid, schema, name, kind, reltuples, comment, visible, row-level security active, partition root, columns,
readable relations before the cap, columns counted for the cap), with `columns` a JSON array of [attnum, name,
type, type OID, category, not null, comment]. Over the cap the relations that go first are those off the
search_path, then partitions, then small ones.
"""

_NUMBER_OR_NONE: Final = f'({PLAIN_NUMBER}|"")'
_NUMBERS: Final = f"{_NUMBER_OR_NONE}(,{_NUMBER_OR_NONE}){{3,}}|{PLAIN_NUMBER}(,{PLAIN_NUMBER}){{2}}"
"""Different values with commas between them: at least three numbers, and no other but an empty text."""

_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
"""How a date begins where `DateStyle` is ISO, its default."""

STATISTICS: Final = f"""
SELECT s.schemaname, s.tablename,
  pg_catalog.json_agg(pg_catalog.json_build_array(s.attname, s.inherited, s.n_distinct,
    CASE WHEN pg_catalog.octet_length(s.most_common_vals::pg_catalog.text) {LE} 32768
         THEN (s.most_common_vals::pg_catalog.text::pg_catalog.text[])[1:$1::pg_catalog.int4] END,
    s.null_frac,
    CASE WHEN s.most_common_vals::pg_catalog.text OPERATOR(pg_catalog.~) '^[{{](""|[-0-9])' IS NOT FALSE
          AND pg_catalog.octet_length(s.most_common_vals::pg_catalog.text) {LE} 32768 IS NOT FALSE
          AND pg_catalog.octet_length(s.histogram_bounds::pg_catalog.text) {LE} 32768 IS NOT FALSE
         THEN pg_catalog.concat_ws(',', pg_catalog.btrim(s.most_common_vals::pg_catalog.text, '{{}}'),
                pg_catalog.btrim(s.histogram_bounds::pg_catalog.text, '{{}}'))
              OPERATOR(pg_catalog.~) '^({_NUMBERS})$' END,
    CASE WHEN s.histogram_bounds::pg_catalog.text OPERATOR(pg_catalog.~) '^[{{]("?{_DAY}|-?[0-9])'
          AND pg_catalog.octet_length(s.histogram_bounds::pg_catalog.text) {LE} 32768
         THEN ARRAY[
           (s.histogram_bounds::pg_catalog.text::pg_catalog.text[])[1],
           (s.histogram_bounds::pg_catalog.text::pg_catalog.text[])[pg_catalog.cardinality(
             s.histogram_bounds::pg_catalog.text::pg_catalog.text[])]] END))
FROM pg_catalog.pg_stats s
WHERE s.tablename {EQ} ANY ($3::pg_catalog.name[])
  AND (SELECT pg_catalog.jsonb_object_agg(pg_catalog.format('%I.%I',
      w.relation OPERATOR(pg_catalog.->>) 0, w.relation OPERATOR(pg_catalog.->>) 1), true)
    FROM pg_catalog.json_array_elements($2::pg_catalog.json) w(relation))
    OPERATOR(pg_catalog.?) pg_catalog.format('%I.%I', s.schemaname, s.tablename)
GROUP BY s.schemaname, s.tablename
"""
"""Rows (schema, table, JSON array of [column, inherited, n_distinct, most common values, null_frac, whether
all values known, at least three, are written as numbers, first and last value where these are days or
begin as numbers do]).

`$1` is the number of values per column, `$2` a JSON array of [schema, table], `$3` an array of the tables'
names. pg_stats itself shows only columns the asker may read, and nothing where row-level security is active.
PostgreSQL filters that view by the names first (`=` of `name` is leakproof); without them it checks the
rights on all columns.
"""
