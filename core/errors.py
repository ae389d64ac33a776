"""Every error a client of askwire can see, as one tree.

    AskwireError
    ├── AskError                     an ASK that gets no rows; becomes a PostgreSQL ErrorResponse
    │   ├── AskSyntaxError   42601   the ASK itself is malformed (client)
    │   ├── AmbiguousQuestion NL001  two readings fit and their answers differ (client)
    │   ├── NotInDatabase    NL002   the database does not hold what was asked for (client)
    │   │   └── ModelDeclined NL002   a model says that the database does not hold it (client)
    │   ├── BeyondEngine     NL003   no reading is certain enough to answer (client)
    │   ├── NoExpert         NL004   no expert could be reached (model)
    │   │   └── ModelFailed  NL004   a model gave no usable answer (model)
    │   ├── BudgetSpent      NL005   budget or deadline spent (us)
    │   ├── RefusedByGate    NL006   refused by the safety gate (model)
    │   │   ├── UnknownRelation NL006 the SQL reads a relation that the role cannot see (model)
    │   │   ├── CalledWrong  NL006   rejected with ASK WRONG after it was prepared (client)
    │   │   └── TookTooLong  NL006   not checked in time (model)
    │   ├── NotPossibleHere  NL007   not possible at this place in the protocol (client)
    │   ├── AskCanceled      57014   the client canceled the ASK (client)
    │   ├── QuestionTooLong  54000   the question exceeds a limit (client)
    │   ├── RowTypeChanged   0A000   a statement would return other columns than were described (client)
    │   │   ├── StatementWrong  0A000 a prepared ASK was rejected with ASK WRONG (client)
    │   │   └── StatementUnsafe 0A000 a prepared ASK would be refused today (client)
    │   ├── InvalidSetting   22023   a session setting of askwire has a value it cannot use (client)
    │   ├── UnknownSetting   42602   askwire has no session setting of that name (client)
    │   ├── ServerSetting    55P02   only the operator can change this setting (client)
    │   ├── HiddenSetting    42501   this role may not see the setting (client)
    │   ├── StoreFailed      58030   the store cannot be read or written at the moment (us)
    │   └── DatabaseFailed   (the backend's own SQLSTATE; database)
    │       └── TooCostly    NL005   a candidate's plan costs too much to run it (us)
    ├── ProtocolError        08P01   bytes that do not follow PostgreSQL's protocol (client)
    └── ConfigurationError   F0000   a setting or file that askwire cannot use (operator)
        └── UnreadableFile   22000   a data file that cannot be loaded (operator)

An `AskError` carries the fields of a PostgreSQL error: message, detail, hint, and the position in the
user's own text where one is known. SQLSTATEs of class `NL` are askwire's own. docs/errors.md is
generated from this tree: the first line of each docstring says what happened, `remedy` what to do.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, Final

from askwire.core.types import Cluster


class Blame(Enum):
    """Whose fault an error is: it decides where the error is reported, and whether a retry can help."""

    CLIENT = "client"
    DATABASE = "database"
    MODEL = "model"
    OPERATOR = "operator"
    US = "us"


class AskwireError(Exception):
    """Base of all errors raised by askwire.

    `message` is one sentence without a trailing full stop, in PostgreSQL's style. `remedy` says what the
    reader of the error can do, for the page of errors; the hint of one error is more specific.
    """

    sqlstate: ClassVar[str] = "XX000"
    blame: ClassVar[Blame] = Blame.US
    remedy: ClassVar[str] = ""

    def __init__(self, message: str, *, detail: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


class AskError(AskwireError):
    """An ASK that cannot be answered with rows.

    `position` counts characters of the user's own statement from 1, 0 when it points nowhere, as the `P`
    field of an ErrorResponse does.
    """

    def __init__(self, message: str, *, detail: str = "", hint: str = "", position: int = 0) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.position = position

    @property
    def code(self) -> str:
        """The SQLSTATE the client sees."""
        return self.sqlstate


class AskSyntaxError(AskError):
    """The ASK itself is malformed: an unknown option, an empty question, invalid text."""

    sqlstate = "42601"
    blame = Blame.CLIENT
    remedy = "Correct the ASK at the position that the error names; `ASK HELP` shows the forms."


class AmbiguousQuestion(AskError):
    """Two readings of the question fit, and their answers differ.

    `readings` are these, in the order in which they are shown and can be chosen.
    """

    sqlstate = "NL001"
    blame = Blame.CLIENT
    remedy = "Compare the rows in the DETAIL, then run `ASK CHOOSE n`; or ask more precisely."

    def __init__(
        self, message: str, *, readings: tuple[Cluster, ...] = (), detail: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.readings = readings


class NotInDatabase(AskError):
    """The question is about something this database does not hold."""

    sqlstate = "NL002"
    blame = Blame.CLIENT
    remedy = "Name tables, columns or values as the database does, or explain a word with `ASK LEARN`."


class ModelDeclined(NotInDatabase):
    """A model says that the database cannot answer the question; `reason` is its own text, in one line."""

    def __init__(self, expert: str, reason: str) -> None:
        super().__init__(
            "the database does not hold what the question asks for",
            detail=f'The model "{expert}" says: {reason}',
            hint="Ask about what the database holds, or name the table or column that is meant.",
        )
        self.expert = expert
        self.reason = reason


class BeyondEngine(AskError):
    """No reading of the question is certain enough to be answered.

    `readings` are the best ones there are, in the order in which they are shown and can be chosen.
    """

    sqlstate = "NL003"
    blame = Blame.CLIENT
    remedy = "Run the reading that is meant with `ASK CHOOSE n`, or ask for one thing at a time."

    def __init__(
        self,
        message: str,
        *,
        readings: tuple[Cluster, ...] = (),
        detail: str = "",
        hint: str = "",
        position: int = 0,
    ) -> None:
        super().__init__(message, detail=detail, hint=hint, position=position)
        self.readings = readings


class NoExpert(AskError):
    """No expert could be reached, or none is configured."""

    sqlstate = "NL004"
    blame = Blame.MODEL
    remedy = (
        "Check the endpoints of the models (`./ask check`, `SHOW EXPERTS`), or include the expert `embedded`."
    )


class ModelFailed(NoExpert):
    """A call of a model that gave no usable answer.

    `kind` is one phrase ('rate limit', 'server error', 'connection', 'timeout', 'refusal', 'rejected',
    'malformed answer', 'cut off', 'breaker'); `again` says whether the same call may be repeated at no
    risk, `after` how many seconds the endpoint asked to wait (0: it did not say).
    """

    sqlstate = "NL004"
    blame = Blame.MODEL

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        again: bool = False,
        after: float = 0.0,
        detail: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.kind = kind
        self.again = again
        self.after = after


class BudgetSpent(AskError):
    """The budget or the deadline of this ASK is spent."""

    sqlstate = "NL005"
    blame = Blame.US
    remedy = "Ask with a longer `TIMEOUT` or a larger `BUDGET`, as far as the operator allows."


class RefusedByGate(AskError):
    """The safety gate refused the SQL of every candidate."""

    sqlstate = "NL006"
    blame = Blame.MODEL
    remedy = (
        "Ask in other words; an operator can allow a function, operator, type or foreign table by a setting."
    )


class UnknownRelation(RefusedByGate):
    """The SQL reads a relation that the role cannot see."""


class CalledWrong(RefusedByGate):
    """A statement was rejected with ASK WRONG after it was prepared."""

    blame = Blame.CLIENT


class TookTooLong(RefusedByGate):
    """Parsing or checking a candidate took longer than allowed (core.beside)."""

    def __init__(self, message: str = "the SQL takes too long to be read and judged") -> None:
        super().__init__(message)


class NotPossibleHere(AskError):
    """An ASK cannot be resolved at this place in the protocol, or with these session settings."""

    sqlstate = "NL007"
    blame = Blame.CLIENT
    remedy = "Follow the HINT: it names the form that works, most often a literal in a message of its own."


class AskCanceled(AskError):
    """The client canceled the ASK."""

    sqlstate = "57014"
    blame = Blame.CLIENT
    remedy = "None is needed; the session goes on."


class QuestionTooLong(AskError):
    """The question exceeds the length that askwire reads."""

    sqlstate = "54000"
    blame = Blame.CLIENT
    remedy = "Shorten it, or have the operator raise `question_limit`."


class RowTypeChanged(AskError):
    """A prepared ASK would return other columns than its client was described; drivers prepare it again."""

    sqlstate = "0A000"
    blame = Blame.CLIENT
    remedy = "Prepare the ASK again; most drivers do so by themselves."


class StatementUnsafe(RowTypeChanged):
    """What a prepared ASK runs would not pass the gate today; drivers prepare it again, which asks again."""

    def __init__(self, refusal: RefusedByGate) -> None:
        super().__init__(
            "the database has changed, and the SQL of this prepared ASK is no longer safe",
            detail="\n".join(filter(None, [refusal.message, refusal.detail])),
            hint="Prepare the ASK again: it is answered with another statement, or refused.",
        )


class StatementWrong(RowTypeChanged):
    """What a prepared ASK runs was rejected with ASK WRONG; drivers prepare it again, which asks again."""

    def __init__(self) -> None:
        super().__init__(
            "the SQL of this prepared ASK was rejected with ASK WRONG",
            hint="Prepare the ASK again: it gets the next reading, or an error that says why there is none.",
        )


class InvalidSetting(AskError):
    """A session setting of askwire has a value it cannot use."""

    sqlstate = "22023"
    blame = Blame.CLIENT
    remedy = "Give a value of the form that the DETAIL names."


class UnknownSetting(AskError):
    """askwire has no session setting of that name."""

    sqlstate = "42602"
    blame = Blame.CLIENT
    remedy = "Correct the name; `ask.settings` lists all of them."


class ServerSetting(AskError):
    """Only the operator can change this setting."""

    sqlstate = "55P02"
    blame = Blame.CLIENT
    remedy = "Have it changed in askwire.toml, the environment or the command line."


class HiddenSetting(AskError):
    """This role may not see the setting's value."""

    sqlstate = "42501"
    blame = Blame.CLIENT
    remedy = "Ask an operator; the setting `operators` names their roles."


class StoreFailed(AskError):
    """The store cannot be read or written at the moment; what was to be kept is not kept."""

    sqlstate = "58030"
    blame = Blame.US
    remedy = "Try again later; `/readyz` and the log name the cause."


QUERY_CANCELED: Final = "57014"
"""PostgreSQL's SQLSTATE of a statement that ran into `statement_timeout`, or that someone canceled."""
_SESSION_LOST: Final = ("08", "57P", "25P03")
"""How the SQLSTATEs begin that end a session."""


class DatabaseFailed(AskError):
    """A statement of askwire's own failed on the backend; the error has the backend's SQLSTATE."""

    sqlstate = "XX000"
    blame = Blame.DATABASE
    remedy = "As for the same error of PostgreSQL."

    def __init__(
        self, message: str, *, code: str, detail: str = "", hint: str = "", position: int = 0
    ) -> None:
        super().__init__(message, detail=detail, hint=hint, position=position)
        self._code = code

    @property
    def code(self) -> str:
        """The backend's own SQLSTATE."""
        return self._code

    @property
    def session_lost(self) -> bool:
        """Whether nothing more can be read for this asker."""
        return self._code.startswith(_SESSION_LOST)


class TooCostly(DatabaseFailed):
    """A candidate was not run, because its plan costs more than `probe_max_cost`."""

    sqlstate = "NL005"
    blame = Blame.US
    remedy = "Ask for less, or have the operator raise `probe_max_cost`."

    def __init__(self, cost: float, most: float) -> None:
        super().__init__(
            f"not run: its plan costs {cost:.0f}, more than {most:.0f} (probe_max_cost)", code=self.sqlstate
        )


class ProtocolError(AskwireError):
    """Bytes that do not follow the PostgreSQL frontend/backend protocol."""

    sqlstate = "08P01"
    blame = Blame.CLIENT
    remedy = "Check that the client speaks PostgreSQL's protocol, and that it encrypts as the server expects."


class ConfigurationError(AskwireError):
    """A setting, a file or an address that askwire cannot use."""

    sqlstate = "F0000"
    blame = Blame.OPERATOR
    remedy = "Correct what the message names; the process does not start before that."


class UnreadableFile(ConfigurationError):
    """A data file that cannot be loaded."""

    sqlstate = "22000"
    remedy = "Do what the hint says of the file that the message names; other files are loaded without it."
