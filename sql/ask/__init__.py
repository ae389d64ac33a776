"""The ASK grammar: where a text asks a question, what it asks, and putting SQL in its place.

Owns: recognising ASK over the tokens of a message (`recognition`, at the places that `walk` follows), its
literal and its options (`question`, `options`), the substitution of the chosen SQL (`rewriting`), what may
stand before an ASK in its message (`preceding`), ASKs where none can be (`misplaced`), and the statements
that teach (`commands`). Works before any parse, because `FROM (ASK 'q')` is no SQL until the ASK is replaced.
"""

from __future__ import annotations

from askwire.sql.ask.commands import AskCommand, find_commands
from askwire.sql.ask.hiding import check_hidden, hidden_table
from askwire.sql.ask.misplaced import MisplacedAsk, find_bare, find_misplaced
from askwire.sql.ask.options import AskOptions
from askwire.sql.ask.preceding import PrecedingKind, PrecedingStatement, preceding
from askwire.sql.ask.recognition import find_asks, might_hold_ask
from askwire.sql.ask.rewriting import Rewritten, reads_back, substitute
from askwire.sql.ask.site import AskSite, Command, Place

__all__ = [
    "AskCommand",
    "AskOptions",
    "AskSite",
    "Command",
    "MisplacedAsk",
    "Place",
    "PrecedingKind",
    "PrecedingStatement",
    "Rewritten",
    "check_hidden",
    "find_asks",
    "find_bare",
    "find_commands",
    "find_misplaced",
    "hidden_table",
    "might_hold_ask",
    "preceding",
    "reads_back",
    "substitute",
]
