"""A message that teaches: one ASK CHOOSE, RIGHT, WRONG, LEARN, FORGET or APPROVE, alone in a Query or Parse.

Owns: where such a statement may stand, and what takes its place. It takes effect when its text arrives, once,
however often a prepared one is executed. Must not know: what a command does.
"""

from __future__ import annotations

from askwire.core.errors import NotPossibleHere
from askwire.proxy.asking.asking import Asking
from askwire.proxy.asking.message import AskMessage
from askwire.proxy.wire.encodings import encode
from askwire.sql.ask import AskCommand

_PLACEHOLDER = b"SELECT NULL"


async def carried_out(asking: Asking, message: AskMessage, commands: tuple[AskCommand, ...]) -> bytes:
    """The SQL that stands in the message's place once its command is carried out."""
    command = commands[0]
    if command.statement_count > 1:
        raise NotPossibleHere(
            f"ASK {command.kind.upper()} is not possible beside other statements",
            hint="Send it in a message of its own.",
            position=command.start + 1,
        )
    if asking.status == "E":
        # PostgreSQL says 25P02 to any valid statement; ours would be a syntax error
        return _PLACEHOLDER
    await asking.make_room()
    resolution = await asking.teach(command)
    codec = asking.conversation.codec
    sql = resolution.sql
    if resolution.report:
        sql = sql.encode(codec, "replace").decode(codec)
    try:
        encoded = encode(sql, codec)
    except UnicodeEncodeError:
        raise NotPossibleHere(
            "the chosen SQL holds characters that the client encoding cannot express",
            hint="SET client_encoding TO 'UTF8' first.",
        ) from None
    for notice in resolution.notices:
        asking.notify(notice)
    return encoded
