"""The shop that the gate's cases are about, and reading the cases."""

from pathlib import Path

from askwire.sql.catalog import Catalog, Column, Relation, UserObjects

CASES = Path(__file__).parent.parent / "sql" / "safety" / "cases"

NEWEST_REVIEWED = 180000
"""The server version whose functions are reviewed; older ones lack some of them."""

TYPES = {"int4": (23, "N"), "text": (25, "S"), "numeric": (1700, "N"), "timestamp": (1114, "D")}
TYPES |= {"text[]": (1009, "A"), "jsonb": (3802, "U"), "date": (1082, "D")}
STATUS = 20_001


def column(position, name, type_name):
    if type_name == "order_status":
        return Column(name, type_name, STATUS, "E", position, enum_labels=("open", "shipped"))
    oid, category = TYPES[type_name]
    return Column(name, type_name, oid, category, position)


def relation(oid, relname, kind="r", schema="public", runs=(), reaches_foreign=False, **columns):
    made = tuple(column(n, key, kind_of) for n, (key, kind_of) in enumerate(columns.items(), 1))
    return Relation(oid, schema, relname, kind, made, runs=runs, reaches_foreign=reaches_foreign)


RELATIONS = (
    relation(1, "customers", id="int4", name="text", email="text", country="text", tags="text[]"),
    relation(
        2,
        "orders",
        id="int4",
        customer_id="int4",
        status="order_status",
        amount="numeric",
        ordered_at="timestamp",
        details="jsonb",
    ),
    relation(3, "employees", id="int4", boss_id="int4"),
    relation(4, "active_customers", kind="v", id="int4", name="text", country="text"),
    relation(5, "monthly_totals", kind="m", month="date", total="numeric"),
    relation(6, "remote_orders", kind="f", reaches_foreign=True, id="int4"),
    relation(7, "orders_everywhere", kind="p", reaches_foreign=True, id="int4"),
    relation(8, "audited_customers", kind="v", runs=("public.audit",), id="int4"),
)

OBJECTS = UserObjects(
    functions=frozenset(("audit", "Audit", "my_sum", "my_rows")),
    operators=frozenset(("===",)),
    types=frozenset(("positive", "money_pair", "order_status", *(r.name for r in RELATIONS))),
    domains={"positive": "int4"},
)

SHOP = Catalog(RELATIONS, ("pg_catalog", "public"), OBJECTS)


def read_cases(path):
    """The cases of a file: one per line after the heading, continued on indented lines."""
    cases = []
    for line in path.read_text("utf-8").splitlines()[1:]:
        if line.startswith("  "):
            cases[-1] += "\n" + line
        elif line:
            cases.append(line)
    return cases
