"""From sites and what they resolve to, to the text that the backend gets.

Owns: substitution with its checks, and the order in which the ASKs of one text are resolved.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from askwire.core.beside import beside
from askwire.core.errors import NotPossibleHere
from askwire.proxy.asking.asking import FAILING_QUERY, AskInterception
from askwire.proxy.asking.message import MAX_BYTES_ON_LOOP
from askwire.proxy.asking.requests import Rewrite
from askwire.proxy.session.relay.interception import Forward
from askwire.proxy.session.statements.prelude import Prelude
from askwire.proxy.wire.encodings import encode
from askwire.proxy.wire.rewrites import QUERY, Places
from askwire.sql.ask import AskSite, Rewritten, check_hidden, reads_back, substitute

_MAJOR: Final = re.compile("[0-9]+")
PLACEHOLDER: Final = "SELECT NULL"
"""What stands for an ASK where only the shape of the statement counts."""


def with_placeholders(text: str, sites: Sequence[AskSite]) -> Rewritten:
    """The text with a query instead of each ASK that asks no one."""
    return substitute(text, [(site, PLACEHOLDER) for site in sites])


async def check_shape(text: str, sites: Sequence[AskSite], parameters: Mapping[str, str]) -> None:
    """AskSyntaxError at the client's own place when no SQL whatever could make the text right."""
    await _read_back(with_placeholders(text, sites), parameters)


class RewrittenText(NamedTuple):
    """A text with SQL instead of its ASKs, and the same as the client encodes it.

    `gated` are the machine-written statements in it.
    """

    text: Rewritten
    encoded: bytes
    gated: tuple[str, ...]


async def rewrite(
    asking: AskInterception,
    text: str,
    sites: Sequence[AskSite],
    preludes: Sequence[Prelude],
    *,
    simple: bool = False,
) -> RewrittenText:
    """Resolve every ASK of a text in order, and put SQL in their places.

    The client is shown what each understood once all are resolved. Raises core.errors.AskError; in a `simple`
    query what stands in front of the ASK that fails runs then, as it does in front of any failing query.
    """
    answers: list[tuple[AskSite, Rewrite]] = []
    for site, prelude in zip(sites, preludes, strict=True):
        # where there are several, an error must say whose it is
        asking.place = site.start + 1 if len(sites) > 1 else 0
        if simple and site.statement_index:
            asking.stand_in = _failing_at(site, text, sites, answers, asking.conversation.codec)
        answer = await asking.resolve(site, prelude)
        await beside(check_hidden, site, answer.sql)
        answers.append((site, answer))
    asking.place, asking.stand_in = 0, None
    codec = asking.conversation.codec
    shown = [(site, _shown(answer, codec)) for site, answer in answers]
    rewritten = await beside(_written, text, shown, _version(asking.parameters))
    try:
        encoded = encode(rewritten.text, codec)
    except UnicodeEncodeError:
        raise NotPossibleHere(
            "the chosen SQL holds characters that the client encoding cannot express",
            hint="SET client_encoding TO 'UTF8' first.",
        ) from None
    for _, answer in answers:
        for notice in answer.notices:
            asking.notify(notice)
    gated = tuple(answer.sql for _, answer in answers if answer.gated)
    return RewrittenText(rewritten, encoded, gated)


def places_in(rewritten: Rewritten) -> Places:
    """The way back from positions in a rewritten text."""
    return lambda position: rewritten.original_position(position) or position


def _failing_at(
    failing: AskSite,
    text: str,
    sites: Sequence[AskSite],
    resolved: Sequence[tuple[AskSite, Rewrite]],
    codec: str,
) -> Forward | None:
    """The message in which one ASK fails when its turn comes; None: the client encoding cannot express it."""
    answers = {site: _shown(answer, codec) for site, answer in resolved}
    answers[failing] = FAILING_QUERY
    written = substitute(text, [(site, answers.get(site, PLACEHOLDER)) for site in sites])
    places = places_in(written)
    try:
        payload = encode(written.text, codec) + b"\x00"
    except UnicodeEncodeError:
        return None
    return Forward(QUERY, payload, lambda rewrites: rewrites.query(places))


def _shown(answer: Rewrite, codec: str) -> str:
    """The SQL of an answer, a report's in characters that the client encoding has."""
    if not answer.report:
        return answer.sql
    return answer.sql.encode(codec, "replace").decode(codec)


def _written(text: str, answers: Sequence[tuple[AskSite, str]], version: int) -> Rewritten:
    rewritten = substitute(text, answers)
    reads_back(rewritten, server_version=version)
    return rewritten


def _version(parameters: Mapping[str, str]) -> int:
    major = _MAJOR.match(parameters.get("server_version", ""))
    return int(major[0]) * 10_000 if major else 0


async def _read_back(rewritten: Rewritten, parameters: Mapping[str, str]) -> None:
    version = _version(parameters)
    if len(rewritten.text) > MAX_BYTES_ON_LOOP:
        await asyncio.to_thread(reads_back, rewritten, server_version=version)
    else:
        reads_back(rewritten, server_version=version)
