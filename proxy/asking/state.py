"""A message that reads askwire's own state: `SELECT … FROM ask.history` as a Query or Parse.

Owns: the rewritten message. A prepared one keeps the rows of the moment its text arrived. A database that has
a schema called `ask` keeps it, and its messages pass as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askwire.core.errors import NotPossibleHere
from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.session.statements.prelude import Prelude, prelude_of_state
from askwire.proxy.wire.encodings import encode
from askwire.proxy.wire.rewrites import Places
from askwire.sql.state_needs import EVERYTHING, state_needs
from askwire.sql.state_relations import (
    HINTS,
    READS,
    SCHEMA,
    STATE_RELATIONS,
    StateSite,
    Use,
    find_state_relations,
    replace_relations,
)

MOST_SITES = 256
MAX_ROW_CHARACTERS = 32_000_000
"""Characters of rows that one message may come to."""

_SCHEMA_EXISTS = (
    "SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) 'ask'"
)


@dataclass(frozen=True)
class StateReads:
    """The relations that the statements of a message read and what a look at them replays, by their index."""

    relations: Mapping[int, frozenset[str]]
    preludes: Mapping[int, Prelude]


async def state_read(asking: AskInterception, text: str, sites: tuple[StateSite, ...]) -> StateReads | None:
    """What a text reads, that parses; None when it is nothing of ours.

    Raises core.errors.NotPossibleHere for what cannot be read there.
    """
    if not sites or asking.status == "E":
        # PostgreSQL says 25P02 to it as it stands
        return None
    ((schemas,),) = await asking.look(_SCHEMA_EXISTS)
    if schemas != "0":
        return None
    if len(sites) > MOST_SITES:
        raise NotPossibleHere(
            f"one message can read askwire's own state at most {MOST_SITES} times",
            hint="Read a relation once, in a WITH query.",
            position=sites[MOST_SITES].start + 1,
        )
    for site in sites:
        if site.use not in READS:
            raise NotPossibleHere(
                f"{site.use.value} {SCHEMA}.{site.relation}", hint=HINTS[site.use], position=site.start + 1
            )
    read = [site for site in sites if site.use is not Use.REFERENCE]
    relations = {
        index: frozenset(site.relation for site in read if site.statement_index == index)
        for index in sorted({site.statement_index for site in read})
    }
    if not relations:
        return None
    at = {site.statement_index: site.start + 1 for site in reversed(read)}
    preludes = {index: await prelude_of_state(text, index, at[index]) for index in relations}
    return StateReads(relations, preludes)


async def with_state(asking: AskInterception, text: str, reading: StateReads) -> tuple[bytes, Places]:
    """The text with rows instead of relations, as the client encodes it, and the way back.

    `text` is the one that was read, maybe with SQL instead of ASKs. Raises core.errors.StoreFailed when
    the rows cannot be read, and session.statements.batch.PreludeFailed when a setting in front of them fails.
    """
    await asking.make_room()
    codec = asking.conversation.codec
    sites, needs = find_state_relations(text, STATE_RELATIONS), state_needs(text)
    shown: dict[tuple[int, str], str] = {}
    for index, relations in reading.relations.items():
        needed = {name: needs.get((index, name), EVERYTHING) for name in relations}
        queries = await asking.state(needed, reading.preludes[index])
        # rows are shown, as far as the client can show them; the client's own characters are never replaced
        shown |= {
            (index, name): query.encode(codec, "replace").decode(codec) for name, query in queries.items()
        }
    if sum(len(shown.get((site.statement_index, site.relation), "")) for site in sites) > MAX_ROW_CHARACTERS:
        raise NotPossibleHere(
            "the message reads too many rows of askwire's own state",
            hint="Read a relation once, in a WITH query.",
            position=sites[0].start + 1,
        )
    replaced = replace_relations(text, sites, shown)
    try:
        return encode(replaced.text, codec), replaced.original_position
    except UnicodeEncodeError:
        raise NotPossibleHere(
            "the message holds characters that the client encoding cannot express",
            hint="SET client_encoding TO 'UTF8' first.",
        ) from None
