"""ASK HELP, or one statement that teaches, alone in a Query or Parse.

Owns: where such a statement may stand, and what takes its place.
"""

from __future__ import annotations

from askwire.core.errors import NotPossibleHere
from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.asking.requests import Rewrite
from askwire.proxy.wire.encodings import encode
from askwire.sql.ask import AskCommand
from askwire.sql.state_needs import EVERYTHING

_PLACEHOLDER = b"SELECT NULL"


async def carried_out(asking: AskInterception, commands: tuple[AskCommand, ...]) -> bytes:
    """The SQL that stands in the message's place once its command is carried out."""
    command = commands[0]
    if command.statement_count > 1:
        raise NotPossibleHere(
            f"ASK {command.kind.upper()} must be the only statement of a message",
            hint="Send it in a message of its own.",
            position=command.start + 1,
        )
    if asking.status == "E":
        # PostgreSQL says 25P02 to any valid statement; ours would be a syntax error
        return _PLACEHOLDER
    await asking.make_room()
    if command.kind == "help":
        rows = (await asking.state({"help": EVERYTHING}))["help"]
        answer = Rewrite(f"SELECT * FROM {rows} AS help", report=True)
    else:
        answer = await asking.teach(command)
    codec = asking.conversation.codec
    sql = answer.sql
    if answer.report:
        sql = sql.encode(codec, "replace").decode(codec)
    try:
        encoded = encode(sql, codec)
    except UnicodeEncodeError:
        raise NotPossibleHere(
            "the chosen SQL holds characters that the client encoding cannot express",
            hint="SET client_encoding TO 'UTF8' first.",
        ) from None
    for notice in answer.notices:
        asking.notify(notice)
    return encoded
