"""A message that reads askwire's own state: `SELECT … FROM ask.history` as a Query or Parse.

Owns: the rewritten message. A prepared one keeps the rows of the moment its text arrived. A database that has
a schema called `ask` keeps it, and its messages pass as they are. Must not know: what the relations hold.
"""

from __future__ import annotations

from askwire.core.errors import NotPossibleHere
from askwire.proxy.asking.asking import Asking
from askwire.proxy.wire.encodings import encode
from askwire.proxy.wire.rewrites import Places
from askwire.sql.state_relations import StateSite, replace_relations

_SCHEMA_EXISTS = (
    "SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) 'ask'"
)


async def with_state(asking: Asking, text: str, sites: tuple[StateSite, ...]) -> tuple[bytes, Places] | None:
    """The text with rows in the places of relations, and the way back; None: the schema is the database's.

    Raises core.errors.StoreFailed when the rows cannot be read.
    """
    if not sites or asking.status == "E":
        # PostgreSQL says 25P02 to it as it stands
        return None
    ((schemas,),) = await asking.look(_SCHEMA_EXISTS)
    if schemas != "0":
        return None
    await asking.make_room()
    queries = await asking.state(frozenset(site.relation for site in sites))
    codec = asking.conversation.codec
    # rows are shown, as far as the client can show them; the client's own characters are never replaced
    shown = {name: query.encode(codec, "replace").decode(codec) for name, query in queries.items()}
    replaced = replace_relations(text, sites, shown)
    try:
        return encode(replaced.text, codec), replaced.original_position
    except UnicodeEncodeError:
        raise NotPossibleHere(
            "the message holds characters that the client encoding cannot express",
            hint="SET client_encoding TO 'UTF8' first.",
        ) from None
