"""The catalog that the cases of lints and mends are written for."""

from __future__ import annotations

from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation

_CATEGORIES = {
    "int4": ("N", 23),
    "numeric": ("N", 1700),
    "text": ("S", 25),
    "date": ("D", 1082),
    "bool": ("B", 16),
}


def column(
    name: str, kind: str, position: int, *, nullable: bool = True, values: tuple[str, ...] = ()
) -> Column:
    category, oid = _CATEGORIES[kind]
    return Column(
        name,
        kind,
        oid,
        category,
        position,
        not_null=not nullable,
        distinct=float(len(values)),
        common_values=values,
    )


KENNELS = Catalog(
    (
        Relation(
            1,
            "public",
            "owners",
            "r",
            (column("id", "int4", 1, nullable=False), column("name", "text", 2), column("city", "text", 3)),
            primary_key=("id",),
        ),
        Relation(
            2,
            "public",
            "dogs",
            "r",
            (
                column("id", "int4", 1, nullable=False),
                column("owner_id", "int4", 2, nullable=False),
                column("name", "text", 3),
                column("age", "text", 4, values=("9", "10", "2")),
                column("weight", "numeric", 5),
                column("born", "date", 6),
                column("chipped", "bool", 7),
                column("size", "text", 8, nullable=False, values=("small", "Large", "large")),
            ),
            primary_key=("id",),
            foreign_keys=(ForeignKey(("owner_id",), 1, ("id",)),),
        ),
        Relation(
            3,
            "public",
            "treatments",
            "r",
            (
                column("id", "int4", 1, nullable=False),
                column("dog_id", "int4", 2),
                column("vet", "int4", 3),
                column("cost", "int4", 4),
                column("kind", "text", 5, nullable=False, values=("vaccine", "walk")),
            ),
            primary_key=("id",),
            foreign_keys=(ForeignKey(("dog_id",), 2, ("id",)),),
        ),
        Relation(
            4,
            "public",
            "vets",
            "r",
            (column("id", "int4", 1, nullable=False), column("name", "text", 2)),
            primary_key=("id",),
        ),
        Relation(
            6,
            "public",
            "tricks",
            "r",
            (
                column("dog_id", "int4", 1, nullable=False, values=("1", "2", "3")),
                column("trick", "text", 2, nullable=False, values=("roll", "roll over", "sit", "play")),
            ),
            primary_key=("dog_id", "trick"),
            foreign_keys=(ForeignKey(("dog_id",), 2, ("id",)),),
            estimated_rows=12,
        ),
        Relation(
            7,
            "public",
            "stays",
            "r",
            (
                column("dog_id", "int4", 1, nullable=False),
                column("from_date", "date", 2, nullable=False),
                column("to_date", "date", 3),
            ),
            primary_key=("dog_id", "from_date"),
            foreign_keys=(ForeignKey(("dog_id",), 2, ("id",)),),
        ),
        Relation(
            8,
            "public",
            "bookings",
            "r",
            (
                column("id", "int4", 1, nullable=False),
                column("pick_up_name", "text", 2),
                column("pick_up_city", "text", 3),
                column("pick_up_street", "text", 4),
                column("booked_on", "date", 5),
            ),
            primary_key=("id",),
        ),
        Relation(5, "public", "Boxes", "r", (column("No", "int4", 1), column("label", "text", 2))),
    )
)
