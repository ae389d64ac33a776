"""A walk through one sentence, once the clauses are taken out of it.

Owns: which mentions are asked for, whose they are, and which only say of what. The walk selects until a
word begins the part that restricts, and again where a word asks for more.

    'what be the M0 and M1 of M2 who M3 C0' → outputs M0, M1 (of M2); entity M2; beside M3
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.language.lexicon import ATTRIBUTES
from askwire.language.text import ORDINALS, PARTICIPLE, TIMES_WORDS, listed, singular
from askwire.planner.embedded.grammar.atoms import Output
from askwire.planner.embedded.grammar.context import RuleContext, is_mention

_AGGREGATES: Final = {
    "COUNT": "count",
    "AVG": "avg",
    "SUM": "sum",
    "MAX": "max",
    "MIN": "min",
    "AGO": "ago",
    "AGOFIRST": "ago first",
}
_OF: Final = frozenset(
    listed("of for from in by on at to about among within under belonging across corresponding")
)
_SEPARATORS: Final = frozenset({"and", ",", "or", "well", "as", "also", "both", "then"})
_LEAVE: Final = frozenset(
    listed(
        """
    that which who whose where with have when whom be do if without while than having own not under
    can
    """
    )
)
"""Words that begin the part that restricts."""
_ASK: Final = frozenset(
    listed("show list give return find tell what display get provide report sort compute")
)
"""Words that ask for more."""
_LIGHT: Final = frozenset(
    listed(
        """
    the a all any its their his her some different distinct unique this these those each every me us
    of please are corresponding respective specific various type kind other
    """
    )
)
_RELATIVES: Final = frozenset({"that", "which", "who", "whose", "where", "with", "having"})
_DOERS: Final = frozenset({"that", "which", "who"})
"""Behind these a verb says what somebody does: 'branches that provide loans'."""
_WITH: Final = frozenset({"with", "including", "plus"})
"""Words behind which more is shown."""
_ONLY: Final = frozenset({"EQ", "just"})
"""Words before columns of which no others are asked for."""
_DIFFERENT: Final = frozenset({"different", "distinct", "unique"})
_AND_MORE: Final = frozenset({"and", ",", "the"})
_POSSESSIVE: Final = frozenset({"their", "its", "his", "her"})
_OPENING: Final = frozenset({"for", "of", "among", "from", "within"})
_DONE_WITH_ALL: Final = frozenset(listed("made placed recorded registered created issued given reported"))
"""What was done with every row, where a number of rows is asked for."""
_TOTALS: Final = frozenset({"value", "size", "total", "amount"})
_NAMING: Final = frozenset({"name", "names", "title", "titles"})
_NUMBERS: Final = frozenset({"number", "count", "amount"})
_BEFORE_NUMBERS: Final = frozenset(
    {"the", "and", ",", "COUNT", "total", "corresponding", "return", "list", "show"}
)
_LOST: Final = re.compile(
    rf"(?:GT|LT|GE|LE|NE|MOST|LEAST|BEFORE|AFTER|SINCE|MAXCOUNT|MINCOUNT)(?:~\w+)?|(?:MAX|MIN)~\w+|[NQDVK]\d+"
    rf"|not|no|never|without|neither|nor|except|exclud(?:e|ing)|{'|'.join(TIMES_WORDS)}|both|or|{'|'.join(ATTRIBUTES)}|{'|'.join(ORDINALS)}"
    r"|first|last|top|rate|ratio"
)
"""Symbols and words that change what is meant: where no rule took them, they are lost, and told so."""
_OF_BEST: Final = re.compile(rf"(?<!\S)S (?:{'|'.join(sorted(_OF))})(?: (?:the|all|our|C\d+))*$")
_SAME: Final = re.compile(r"(?<!\S)same (?:COUNT )?M\d+(?!\S)")
"""'In the same city as the customer' is not in any city: a comparison, where no rule made one of it."""

_COLUMN: Final = r"M\d+(?: M\d+)?"
_ONE: Final = rf"(?:(?:the|their|its|a) )*{_COLUMN}"
_LIST: Final = re.compile(rf"{_ONE}(?: (?:and|,)+ {_ONE})*(?: (?:[SOG]\d*|please|\.|\?))*")
"""Mentions with 'and' or commas between them, up to the end of the question."""
_COLUMNS: Final = re.compile(
    rf"(?:(?P<only>EQ|just) (?:the )*)?{_COLUMN}"
    rf"(?P<more>(?: (?:and|,)+ (?:the )*(?:{_COLUMN}|count))*)"
    r"(?:(?: ,)? (?:[SO]|G\d*))*(?: (?:please|\.|\?))*"
)
"""Columns, or one and a number, up to the end of the question but for an order."""


def _is_plural(word: str) -> bool:
    return singular(word) != word


def walked(words: list[str], rules: RuleContext) -> Walk:
    """A sentence after the walk; one that begins with 'for' says first of what it asks."""
    if words and words[0] in _OPENING and _ASK & set(words[1:]):
        walk = Walk(words, rules, selecting=False).through()
        if walk.outputs:
            return walk
    return Walk(words, rules).through()


@dataclass
class Walk:
    """The state of a walk: what is asked for so far, of what, and what was lost on the way.

    `beside` are mentions that only restrict; `distinct` says that different ones are asked for.
    """

    words: list[str]
    rules: RuleContext
    selecting: bool = True
    outputs: list[Output] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)
    beside: list[int] = field(default_factory=list)
    distinct: bool = False
    lost: list[str] = field(default_factory=list)
    _pending: list[str] = field(default_factory=list)
    _owner: int | None = None
    _owned_from: int = 0
    _expecting_owner: bool = False
    _distinct_next: bool = False
    _separated: bool = True
    _previous: str = ""
    _before: str = ""
    """The word before the previous one."""
    _listed: int = 0
    _of_group: bool = False
    """Whether the part that restricts says which groups are meant."""
    _theirs: bool = False
    """Whether what stands behind 'with their' goes on."""

    def through(self) -> Walk:
        """The walk at the end of its sentence."""
        for at, word in enumerate(self.words):
            self._step(at, word)
            self._before, self._previous = self._previous, word
        if "count" in self._pending:
            self.outputs.append(Output(None, "count"))
        best = self.rules.superlatives[0] if self.rules.superlatives else None
        if (
            self._pending == ["sum"]
            and self._previous in {"SUM", "?", "."}
            and best
            and best.mention is not None
        ):
            # 'which customer spent the most, and how much'
            self.outputs.append(Output(best.mention, best.aggregate))
            self._pending = []
        if self.rules.groups and not self.rules.superlatives and self._shows_columns_alone():
            # 'for each product show its price': beside which product that is
            self.outputs = [*self.rules.groups, *self.outputs]
        self.lost += [p.upper() for p in self._pending if p != "count"]
        lost = [word for word in self.words if _LOST.fullmatch(word)]
        for _ in range(self._listed):
            lost.remove("both")
        self.lost += lost
        if _SAME.search(" ".join(self.words)):
            self.lost.append("same")
        return self

    def _shows_columns_alone(self) -> bool:
        """Whether only columns are asked for of each thing, none of which says what the thing is called."""
        groups = [g.mention for g in self.rules.groups if g.mention is not None]
        if not re.match(r"G\d", self.words[0] if self.words else ""):
            return False  # 'the price of each product' may be the price alone
        if not self.outputs or not all("table!" in self.rules.kinds(g) for g in groups):
            return False
        shown = [o.mention for o in self.outputs if o.mention is not None and not o.aggregate]
        return len(shown) == len(self.outputs) and not any(
            self.rules.word(m) in _NAMING or {"key", "table!"} & self.rules.kinds(m) for m in shown
        )

    def _step(self, at: int, word: str) -> None:
        """One word; the first of these readings that fits."""
        following = self.words[at + 1] if at + 1 < len(self.words) else ""
        goes_on = word in _AND_MORE or (is_mention(word) and self._ends_a_list(word, following))
        self._theirs = self._theirs and goes_on
        if word in _AGGREGATES:
            self._aggregate(word, self.words[max(0, at - 2) : at])
        elif word in _DIFFERENT:
            self._distinct_next = self.selecting
        elif is_mention(word):
            if self._says_which_of_best(at):
                self.beside.append(int(word[1:]))
            else:
                self._mention(int(word[1:]))
            self._distinct_next = self._separated = False
        elif word == "'s":
            self._possessive()
        elif word in _OF and not (word == "corresponding" and self._begins_output()):
            asked = bool(self.outputs) or self._ranks_times()
            self._expecting_owner = asked and self.selecting and not self._pending
        elif word == "and" and not self.selecting and self.outputs and self._asks_again(at):
            self._select()
            self._owned_from = len(self.outputs)
        elif word == "," and not self.selecting and self.outputs and (columns := self._columns_behind(at)):
            self._show_columns(only=columns["only"] is not None)
        elif word == "," and self._of_group and not self.outputs:
            self._select()  # 'for each G0 that have M1 , who be M2'
            self._of_group = False
        elif word in _ONLY and self._previous == "," and self.selecting:
            pass
        elif word == "both" and self.selecting and self._lists(at):
            self._listed += 1
        elif word in _SEPARATORS or re.fullmatch(r"[SO]|G\d*", word):
            self._separate(word)
        elif word in _ASK and (self.outputs or self.beside) and self._previous not in _DOERS:
            self._select()
        elif word in _TOTALS and self._averages_rows():
            self.outputs[-1] = replace(self.outputs[-1], aggregate="per")
        elif word in _TOTALS and self._lists_what_ranks():
            best = self.rules.superlatives[0]
            self.outputs.append(Output(best.mention, best.aggregate))
        elif word in _NUMBERS and self.selecting and at > 0 and self._previous in _BEFORE_NUMBERS:
            if following in {"", "O", "S", "and"} or following[:1] == "G":
                self.outputs.append(Output(None, "count"))
        elif word == "be" and self._previous == "what":
            pass  # 'and what is the largest …' asks again
        elif word in _WITH and self.outputs and self._shown_besides(at):
            self._show_columns()
        elif word in _LEAVE:
            self._leave(word)
        elif word in _LIGHT:
            pass
        elif re.fullmatch(r"C\d+", word):
            if self.outputs and not self._expecting_owner and following not in {"and", ","}:
                self.selecting = self.selecting and following[:1] == "M"
        elif self._means_nothing(at, following):
            pass
        elif self.outputs and self.selecting and following not in _SEPARATORS | {"of", "for"}:
            # an unknown word after what is asked for begins the part that restricts it
            self.selecting = self._expecting_owner = False

    def _ends_a_list(self, word: str, following: str) -> bool:
        """Whether nothing more is said of a mention: not 'the orders placed in 1997'."""
        symbol = re.fullmatch(r"[SO]|G\d*", following) is not None
        ends = symbol or following in {"", ".", "?", "and", ","}
        return ends or "column!" in self.rules.kinds(int(word[1:]))

    def _select(self) -> None:
        self.selecting, self._separated, self._expecting_owner = True, True, False

    def _show_columns(self, *, only: bool = False) -> None:
        """Ask for what follows, beside what was asked for so far; `only`: in its place."""
        self._select()
        if self.outputs and all(o.aggregate for o in self.outputs):
            # 'number of orders per customer with email': beside who that is
            self.outputs = [*self.rules.groups, *self.outputs]
        if only and len(self.outputs) == 1 and not self.outputs[0].aggregate:
            shown = self.outputs[0].mention
            self.outputs, self._owned_from = [], 0
            if shown is not None:
                self.entities.append(shown)

    def _ranks_times(self) -> bool:
        """Whether a month or the like is asked for, of which nothing is left in the line."""
        return bool(self.rules.unit and self.rules.superlatives)

    def _begins_output(self) -> bool:
        return self._separated or self._previous in _POSSESSIVE

    def _aggregate(self, word: str, before: list[str]) -> None:
        """'AVG': of what follows; lost in the part that restricts."""
        more = self._previous in {"and", ","} or (self._previous in _POSSESSIVE and before[0] in {"and", ","})
        again = more or not self.outputs or word == "COUNT"
        if not self.selecting and not again:
            self.lost.append(word)
            return
        self.selecting, self._expecting_owner = True, False
        self._pending.append(_AGGREGATES[word])

    def _mention(self, mention: int) -> None:
        """'M0': asked for, or whose that is, or what only restricts."""
        outputs = self.outputs
        if not self.selecting:
            if self._pending and not outputs and "numeric" in self.rules.kinds(mention):
                # 'SUM do M0 M1': the measure stands behind the one who spends it
                outputs += [Output(mention, aggregate) for aggregate in self._pending]
                self._pending = []
            elif outputs and (
                (self._previous in _POSSESSIVE and self._before not in _OF)
                or (self._theirs and self._previous in _AND_MORE)
            ):
                # 'with their M0 and M1', and not 'who spent the most for their M0'
                outputs.append(Output(mention))
                self._theirs = True
            else:
                self.beside.append(mention)
        elif self._pending:
            for aggregate in self._pending:
                distinct = self._distinct_next and aggregate == "count"
                outputs.append(Output(mention, aggregate, self._owner, distinct))
            self._pending, self._owner = [], None
        elif self._expecting_owner:
            self._own(mention)
        elif is_mention(self._previous) and outputs and outputs[-1].mention == int(self._previous[1:]):
            self._beside_another(mention, int(self._previous[1:]))
        elif outputs and not self._separated and outputs[-1].mention is not None and self._owner is None:
            # 'cities the stations are in': a clause without its 'that'
            self.beside.append(mention)
            self.selecting = False
        else:
            outputs.append(Output(mention, "", self._owner, self._distinct_next))
            self.distinct = self.distinct or self._distinct_next
            self._owner = None

    def _says_which_of_best(self, at: int) -> bool:
        """'which month had the most invoices for private clients': the month is shown, and no clients."""
        shown = bool(self.rules.unit and self.rules.groups) and not (self.outputs or self._pending)
        return shown and _OF_BEST.search(" ".join(self.words[:at])) is not None

    def _own(self, owner: int) -> None:
        """'M0 and M1 of M2': the outputs without an owner are of M2."""
        for place in range(self._owned_from, len(self.outputs)):
            if self.outputs[place].owner is None:
                self.outputs[place] = replace(self.outputs[place], owner=owner)
        self._owned_from = len(self.outputs)
        self.entities.append(owner)
        self._expecting_owner = False

    def _beside_another(self, mention: int, other: int) -> None:
        """'M0 M1': 'customer names' are of customers, 'names customers' of them as well."""
        last = self.outputs.pop()
        if last.aggregate == "count" and self.rules.word(mention) in _DONE_WITH_ALL:
            # 'the number of payments made': all of them were
            self.outputs.append(last)
            self.rules.spend(mention)
            return
        both = all("table!" in self.rules.kinds(m) for m in (mention, other))
        done = self.rules.word(mention)
        verb = PARTICIPLE.fullmatch(done) or done.endswith("ing")
        if (both and "column" not in self.rules.kinds(mention)) or (
            verb and _is_plural(self.rules.word(other))
        ):
            # 'tickets escalated to', 'accounts opened': the second says which, the first what
            self.outputs.append(last)
            self.beside.append(mention)
        elif "table" in self.rules.kinds(other):
            self.entities.append(other)
            self.outputs.append(Output(mention, last.aggregate, other))
        elif self._names_what_a_key_holds(mention, other):
            self.outputs.append(Output(mention, last.aggregate, last.owner, last.distinct))
        else:
            self.outputs.append(last)
            self.entities.append(mention)

    def _names_what_a_key_holds(self, mention: int, other: int) -> bool:
        """'branch names', where 'branch' is a key alone and 'name' a column that is none."""
        kinds = self.rules.kinds(other)
        if "key" not in kinds or "column!" not in kinds or kinds & {"table", "time", "numeric"}:
            return False
        return "column!" in self.rules.kinds(mention) and self.rules.word(mention) in _NAMING

    def _possessive(self) -> None:
        """'M0 's': what stood before is whose it is."""
        if self.outputs and re.fullmatch(r"C\d+", self._previous):  # 'employee Nancy Edwards 's phone'
            self.entities += [o.mention for o in self.outputs if o.mention is not None]
            self.outputs, self.selecting, self._separated = [], True, True
        elif self.outputs and self.selecting and not self.outputs[-1].aggregate:
            self._owner = self.outputs.pop().mention
            if self._owner is not None:
                self.entities.append(self._owner)
        elif self.entities:
            self._owner = self.entities[-1]

    def _separate(self, word: str) -> None:
        self._separated = self._separated or word in {"and", ",", "or", "well"}
        if word in {"and", ","}:
            self._expecting_owner = False

    def _leave(self, word: str) -> None:
        """A word that begins the part that restricts, where anything was asked for before."""
        which = re.fullmatch(r"G\d*", self._previous) is not None and word in _RELATIVES
        self._of_group = self._of_group or which
        if self.outputs or self.entities or self._pending or which or (self.beside and self._ranks_times()):
            if self._pending and word in {"be", "do", "have"}:
                self.outputs += [Output(None, p) for p in self._pending if p == "count"]
                self._pending = [p for p in self._pending if p != "count"]
            self.selecting = False
        self._expecting_owner = False

    def _averages_rows(self) -> bool:
        """'the average value' of what is a table: of what one row comes to."""
        if not self.outputs or self.outputs[-1].aggregate != "avg":
            return False
        return "table!" in self.rules.kinds(self.outputs[-1].mention or 0)

    def _lists_what_ranks(self) -> bool:
        """Whether 'value' of 'the order with MAX value . show number , value' is what ranks it."""
        listed = self.selecting and self.words[0] == "show" and self._previous in {"and", ","}
        best = self.rules.superlatives[0] if self.rules.superlatives else None
        return listed and best is not None and best.mention is not None and bool(best.aggregate)

    def _lists(self, at: int) -> bool:
        """Whether 'both' only begins a list: 'list both the title and id'."""
        return re.match(r"(?:(?:the|their) )*M\d", " ".join(self.words[at + 1 :])) is not None

    def _means_nothing(self, at: int, following: str) -> bool:
        """'…, details and coresponding M3': a word of no meaning before one more that is asked for.

        So is any word in a list by itself: 'show M0 , common M1 and M2'.
        """
        listed = self.words[0] == "show" and self._previous in {"and", ",", "the"}
        return (
            self.selecting
            and bool(self.outputs)
            and (listed or self._previous in {"and", "the"})
            and (listed or "and" in self.words[max(0, at - 2) : at])
            and is_mention(following)
            and "column!" in self.rules.kinds(int(following[1:]))
        )

    def _shown_besides(self, at: int) -> bool:
        """'the last orders with customer name': whether only columns follow, to be shown as well.

        A column that can be empty may be a condition where it stands alone ('products with a discount'), and
        a table is one ('customers with orders'); in a list with columns, both are shown: 'the dearest repairs
        with flat, category and cost'.
        """
        text = " ".join(self.words[at + 1 :])
        if not _LIST.fullmatch(text):
            return False
        # 'customer name' are the names of customers
        items = [int(n) for n, of in re.findall(r"M(\d+)(?: M(\d+))?", text) if not of or self._names(of)]
        if len(items) < len(re.findall(r"M\d+(?: M\d+)?", text)):
            return False
        kinds = [self.rules.kinds(m) for m in items]
        columns = ["column!" in k and "table!" not in k for k in kinds]
        plural = ("table!" in k and _is_plural(self.rules.word(m)) for m, k in zip(items, kinds, strict=True))
        alike = any(plural) or any("flag" in k for k in kinds)
        if len(items) > 1 and not any(columns) and not alike and not re.search(r"(?<!\S)an? ", text):
            # 'the dearest products with category and supplier': each has one of each
            return self.selecting or re.fullmatch(r"C\d+", self._previous) is not None
        if len(items) == 1 or not any(columns):
            ranked = bool(self.rules.superlatives) and not text.startswith("a ")
            return self.selecting and all(columns) and (ranked or "optional" not in kinds[0])
        return not alike

    def _names(self, mention: str) -> bool:
        return self.rules.word(int(mention)) in _NAMING

    def _columns_behind(self, at: int) -> re.Match[str] | None:
        """'orders above 100, number and total': the columns to show behind a condition, if all are."""
        text = " ".join(self.words[at + 1 :])
        columns = _COLUMNS.fullmatch(text)
        if columns is None or not re.fullmatch(r"[CG]\d+|[SO]", self._previous):
            return None
        if columns["only"] is None and not columns["more"]:
            return None  # one column alone may be said of what stands before
        kinds = [self.rules.kinds(int(n)) for n in re.findall(r"M(\d+)", text)]
        return columns if all("column!" in k and not k & {"table!", "flag"} for k in kinds) else None

    def _asks_again(self, at: int) -> bool:
        """'… living in Rome and the names of their dogs': whether what follows 'and' is asked for as well."""
        rest = self.words[at + 1 : at + 5]
        while rest and rest[0] in {"the", "their", "also"}:
            rest = rest[1:]
        if len(rest) < 2 or not is_mention(rest[0]) or rest[1] != "of":
            return False
        return "column" in self.rules.kinds(int(rest[0][1:]))
