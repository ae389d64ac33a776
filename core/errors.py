"""Every error a client of askwire can see, as one tree.

    AskwireError
    ├── AskError                     an ASK that gets no rows; becomes a PostgreSQL ErrorResponse
    │   ├── AskSyntaxError   42601   the ASK itself is malformed (client)
    │   ├── AmbiguousQuestion NL001  two readings fit and they differ (client)
    │   ├── NotInDatabase    NL002   the database does not hold what was asked for (client)
    │   │   └── Declined     NL002   a model says that the database does not hold it (client)
    │   ├── BeyondEngine     NL003   beyond what the embedded engine understands (client)
    │   ├── NoExpert         NL004   no expert could be reached (model)
    │   │   └── ModelFailed  NL004   a model gave no usable answer (model)
    │   ├── BudgetSpent      NL005   budget or deadline spent (us)
    │   ├── RefusedByGate    NL006   refused by the safety gate (model)
    │   │   └── TookTooLong  NL006   not judged in time (model)
    │   ├── NotPossibleHere  NL007   not possible at this place in the protocol (client)
    │   ├── AskCanceled      57014   the client canceled the ASK (client)
    │   ├── QuestionTooLong  54000   the question exceeds a limit (client)
    │   ├── RowTypeChanged   0A000   a statement would return other columns than were described (client)
    │   ├── InvalidSetting   22023   a session setting of askwire has a value it cannot use (client)
    │   ├── UnknownSetting   42602   askwire has no session setting of that name (client)
    │   ├── ServerSetting    55P02   a setting is the operator's, not a session's (client)
    │   ├── StoreFailed      58030   what askwire remembers cannot be read or written at the moment (us)
    │   └── DatabaseFailed   (the backend's own SQLSTATE; database)
    │       └── TooCostly    NL005   a statement that was to be tried costs too much to be run (us)
    ├── ProtocolError        08P01   bytes that are no PostgreSQL protocol (client)
    └── ConfigurationError   F0000   a setting or file askwire cannot use (operator)

An `AskError` carries the fields of a PostgreSQL error: message, detail, hint, and the position in the
user's own text where one is known. SQLSTATEs of class `NL` are askwire's own.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from askwire.core.types import Cluster


class Blame(Enum):
    """Whose fault an error is: it decides who is told, and whether a retry can help."""

    CLIENT = "client"
    DATABASE = "database"
    MODEL = "model"
    OPERATOR = "operator"
    US = "us"


class AskwireError(Exception):
    """Base of all errors raised by askwire.

    `message` is one sentence without a trailing full stop, in PostgreSQL's style.
    """

    sqlstate: ClassVar[str] = "XX000"
    blame: ClassVar[Blame] = Blame.US

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


class AmbiguousQuestion(AskError):
    """Two readings of the question fit, and their answers differ.

    `readings` are these, in the order in which they are shown and can be chosen.
    """

    sqlstate = "NL001"
    blame = Blame.CLIENT

    def __init__(
        self, message: str, *, readings: tuple[Cluster, ...] = (), detail: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.readings = readings


class NotInDatabase(AskError):
    """The question is about something this database does not hold."""

    sqlstate = "NL002"
    blame = Blame.CLIENT


class Declined(NotInDatabase):
    """A model says that the database cannot answer the question; `reason` are its own words, in one line."""

    def __init__(self, expert: str, reason: str) -> None:
        super().__init__(
            "the database does not hold what the question asks for",
            detail=f'The model "{expert}" says: {reason}',
            hint="Ask about what the database holds, or name the table or column that is meant.",
        )
        self.expert = expert
        self.reason = reason


class BeyondEngine(AskError):
    """The embedded engine cannot place every word of the question."""

    sqlstate = "NL003"
    blame = Blame.CLIENT


class NoExpert(AskError):
    """No expert could be reached, or none is configured."""

    sqlstate = "NL004"
    blame = Blame.MODEL


class ModelFailed(NoExpert):
    """A call of a model that brought no usable answer.

    `kind` is one phrase ('rate limit', 'server error', 'connection', 'timeout', 'refusal', 'rejected',
    'malformed answer', 'cut off', 'breaker'); `again` says whether the same call may be made once more at no
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


class RefusedByGate(AskError):
    """Every candidate was refused by the safety gate."""

    sqlstate = "NL006"
    blame = Blame.MODEL


class TookTooLong(RefusedByGate):
    """Reading or judging a machine-written text took longer than it may (core.beside)."""

    def __init__(self, message: str = "the SQL takes too long to be read and judged") -> None:
        super().__init__(message)


class NotPossibleHere(AskError):
    """An ASK cannot be resolved at this place in the protocol or with these session settings."""

    sqlstate = "NL007"
    blame = Blame.CLIENT


class AskCanceled(AskError):
    """The client canceled the ASK."""

    sqlstate = "57014"
    blame = Blame.CLIENT


class QuestionTooLong(AskError):
    """The question exceeds the length askwire reads."""

    sqlstate = "54000"
    blame = Blame.CLIENT


class RowTypeChanged(AskError):
    """A prepared ASK would return other columns than its client has been told; drivers prepare it again."""

    sqlstate = "0A000"
    blame = Blame.CLIENT


class InvalidSetting(AskError):
    """A session setting of askwire has a value it cannot use."""

    sqlstate = "22023"
    blame = Blame.CLIENT


class UnknownSetting(AskError):
    """askwire has no session setting of that name."""

    sqlstate = "42602"
    blame = Blame.CLIENT


class ServerSetting(AskError):
    """A setting is the operator's, and no session's to change."""

    sqlstate = "55P02"
    blame = Blame.CLIENT


class StoreFailed(AskError):
    """What askwire remembers cannot be read or written at the moment."""

    sqlstate = "58030"
    blame = Blame.US


class DatabaseFailed(AskError):
    """A statement of askwire's own failed on the backend; carries the backend's SQLSTATE."""

    sqlstate = "XX000"
    blame = Blame.DATABASE

    def __init__(
        self, message: str, *, code: str, detail: str = "", hint: str = "", position: int = 0
    ) -> None:
        super().__init__(message, detail=detail, hint=hint, position=position)
        self._code = code

    @property
    def code(self) -> str:
        """The backend's own SQLSTATE."""
        return self._code


class TooCostly(DatabaseFailed):
    """A machine-written statement was not run, because its plan costs more than `probe_max_cost`."""

    sqlstate = "NL005"
    blame = Blame.US

    def __init__(self, cost: float, most: float) -> None:
        super().__init__(
            f"its plan costs {cost:.0f}, more than {most:.0f} (probe_max_cost): not tried", code=self.sqlstate
        )


class ProtocolError(AskwireError):
    """Bytes that do not follow the PostgreSQL frontend/backend protocol."""

    sqlstate = "08P01"
    blame = Blame.CLIENT


class ConfigurationError(AskwireError):
    """A setting, a file or an address that askwire cannot use; the process says so and does not start."""

    sqlstate = "F0000"
    blame = Blame.OPERATOR
