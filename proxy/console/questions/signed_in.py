"""One person who is signed in to PostgreSQL: their connection through askwire, and the questions asked on it.

Statements go out one at a time, in the order in which they were asked for. Feedback is said in the session,
as ASK RIGHT, WRONG or CHOOSE, which are about its last ASK: an older question is asked again before.

Owns: that order, what each question's answer shows, canceling, and the end of the connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from askwire.core.errors import AskError, DatabaseFailed, NotPossibleHere, ProtocolError
from askwire.core.protocols import Clock
from askwire.core.types import Verdict
from askwire.proxy.connection.canceling import CancelUnanswered
from askwire.proxy.console.desk import Entrance
from askwire.proxy.console.questions.answers import (
    Answer,
    ComparedReading,
    NumberedReading,
    is_ours,
    without_name,
)
from askwire.proxy.console.questions.statements import RowReader, run
from askwire.proxy.log import log_internal
from askwire.proxy.memory.own_asks import Onlooker
from askwire.proxy.memory.reviewing import Judgement
from askwire.proxy.reports.progress import is_progress
from askwire.proxy.session.session_memory import LastAsk
from askwire.proxy.session.statements.conversation import BackendGone
from askwire.proxy.session.statements.own_connection import OwnConnection
from askwire.sql.literals import quote_literal

log = logging.getLogger("askwire.console")

MOST_ROWS: Final = 500
"""Rows of an answer that a page shows."""
MOST_BYTES: Final = 512 * 1024
"""Of these rows."""
MOST_ANSWERS: Final = 30
"""Questions of a session that its page shows; older ones are in the history."""
MAX_ANSWERS_WITH_ROWS: Final = 8
"""Answers whose rows are held."""
MAX_WAITING_QUESTIONS: Final = 8
"""Questions that wait for their turn."""
MOST_FOLLOWERS: Final = 4
"""Requests of a session that wait for news at once: the console has few connections."""
PAGE_TIMEOUT_SECONDS: Final = 10.0
"""Seconds that a page waiting."""
_CANCEL_RETRY_SECONDS: Final = 0.3
_QUERY_CANCELED: Final = "57014"
_CONNECTION_FAILURE: Final = "08006"
_READ_ROLES: Final = "SELECT current_user, session_user"
"""Words of the grammar: no function, operator or type that this looks up can be somebody's own."""


class SignedIn:
    """A session of `user` on `database`, on a connection that is logged in; its forms hold `form_key`."""

    def __init__(
        self,
        connection: OwnConnection,
        entrance: Entrance,
        user: str,
        database: str,
        form_key: str,
        clock: Clock,
    ) -> None:
        self.user = user
        self.database = database
        self.form_key = form_key
        self.answers: list[Answer] = []
        self._connection = connection
        self._entrance = entrance
        self._clock = clock
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: Answer | None = None
        self._pressing: asyncio.Task[None] | None = None
        self._numbers = 0
        self._followers = 0
        self._closed = False

    # -- what pages look at

    @property
    def name(self) -> str:
        """Who it is, for people."""
        return f"{self.user} on {self.database}"

    @property
    def ended(self) -> str:
        """Why nothing can be asked any more; '' while it can."""
        if not self._closed and self._connection.is_open:
            return ""
        said = self._connection.last_words.get("M", "")
        return f"PostgreSQL ended the session: {said}" if said else "The connection to PostgreSQL has ended."

    @property
    def busy(self) -> bool:
        """Whether something runs or waiting."""
        return bool(self._tasks) or self._turn.locked()

    def find(self, number: int) -> Answer | None:
        """The answer of that number."""
        return next((a for a in self.answers if a.number == number), None)

    # -- what people do

    def ask(self, question: str) -> Answer:
        """Ask, once everything before has been answered. Raises NotPossibleHere where too much waits."""
        text = question.replace("\0", " ").strip()
        if not text:
            raise NotPossibleHere("there is no question")
        self._check_room()
        self._numbers += 1
        answer = Answer(self._numbers, text)
        self.answers.append(answer)
        del self.answers[: max(0, len(self.answers) - MOST_ANSWERS)]
        for older in [a for a in self.answers if a.rows][:-MAX_ANSWERS_WITH_ROWS]:
            older.drop_rows()
        self._start(answer, lambda: self._ask(answer))
        return answer

    def ask_again(self, answer: Answer) -> None:
        """Ask the same question again, in its place: after WRONG, or after what made it fail has passed."""
        self._do_again(answer, lambda: self._ask(answer))
        answer.again = False

    def compare(self, answer: Answer) -> None:
        """Have the readings of a question side by side, with the rows that tell them apart."""
        self._do_again(answer, lambda: self._compare(answer))

    def say(self, answer: Answer, said: Judgement, number: int = 0, sql: str = "") -> None:
        """Say that the answer was right or wrong, or which reading was meant."""
        self._do_again(answer, lambda: self._say(answer, said, number, sql.replace("\0", " ").strip()))

    async def follow(self, answer: Answer, seen: int, *, at_most: float) -> None:
        """Wait for news of an answer, unless enough pages of this session wait already."""
        if self._followers >= MOST_FOLLOWERS:
            return
        self._followers += 1
        try:
            await answer.change(seen, at_most=at_most)
        finally:
            self._followers -= 1

    def cancel(self, answer: Answer) -> None:
        """Have it stop: at once where it waits, else as soon as askwire and PostgreSQL can."""
        if answer.state == "waiting":
            if answer.again:
                answer.state = answer.settled
            else:
                answer.refuse({"C": _QUERY_CANCELED, "M": "canceled before it began"})
            answer.tell()
        elif answer is self._running and self._pressing is None:
            answer.canceling = True
            answer.tell()
            self._pressing = asyncio.create_task(self._press(answer))

    async def close(self) -> None:
        """End the session; rows and questions are let go of."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for answer in self.answers:
            answer.drop_rows()
            answer.tell()
        with suppress(OSError):
            await self._connection.close()

    async def onlooker(self) -> Onlooker:
        """Whose ASKs the session sees. Raises DatabaseFailed, and NotPossibleHere where it has no turn."""
        async with self._in_turn():
            ((acts_as, logged_in_as),) = (await run(self._connection, _READ_ROLES, _ignore)).rows
        memory = self._entrance.memory
        name = memory.session if memory else ""
        return Onlooker(logged_in_as or "", acts_as or "", self.database, name)

    @asynccontextmanager
    async def reading(self, answer: Answer) -> AsyncIterator[RowReader]:
        """All rows of an answer, which is asked for again; its SQL must still be the one that was shown.

        Raises NotPossibleHere where it is another one, and DatabaseFailed.
        """
        async with self._in_turn():
            reading = RowReader(self._connection)
            try:
                await reading.begin(f"ASK {quote_literal(answer.question)}")
                self._note_key(answer)
                if self._sql() != answer.sql:
                    raise NotPossibleHere(
                        "the answer to this question has changed", hint="Ask it again, then download."
                    )
                yield reading
            finally:
                await self._end(reading)

    # -- how it is done

    def _check_room(self) -> None:
        if self.ended:
            raise NotPossibleHere(self.ended, hint="Sign in again.")
        if len(self._tasks) > MAX_WAITING_QUESTIONS:
            raise NotPossibleHere("too many questions wait for their turn", hint="Wait, or cancel some.")

    def _do_again(self, answer: Answer, work: Callable[[], Awaitable[None]]) -> None:
        if answer.busy:
            raise NotPossibleHere("this question is being worked on", hint="Wait for its answer.")
        self._check_room()
        answer.remark, answer.again = "", True
        self._start(answer, work)

    def _start(self, answer: Answer, work: Callable[[], Awaitable[None]]) -> None:
        answer.state = "waiting"
        answer.wanted += 1
        answer.tell()
        task = asyncio.create_task(self._carry_out(answer, answer.wanted, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, answer: Answer, wanted: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do something for an answer in its turn; an error becomes the answer's, or a remark on it."""
        async with self._turn:
            # canceled while it waited; something else may be wanted since
            if answer.state != "waiting" or answer.wanted != wanted:
                return
            answer.state, answer.began, answer.progress = "running", self._clock.monotonic(), ""
            answer.canceling = False
            self._running = answer
            answer.tell()
            try:
                await work()
            except BackendGone:
                said = self._connection.last_words
                answer.refuse(
                    said or {"C": _CONNECTION_FAILURE, "M": "the connection to PostgreSQL has ended"}
                )
            except AskError as error:
                if answer.again:
                    answer.remark = _sentences(without_name(error.message), error.hint)
                else:
                    answer.refuse({"C": error.code, "M": error.message, "D": error.detail, "H": error.hint})
            except ProtocolError as error:
                answer.refuse({"C": "08P01", "M": str(error)})
            except Exception as error:  # noqa: BLE001 - the boundary: one question fails, the session goes on
                number = log_internal(log, error)
                answer.refuse({"C": "XX000", "M": f"internal error {number}; the log has more under it"})
            finally:
                answer.state = answer.settled
                answer.took = self._clock.monotonic() - answer.began
                answer.canceling = False
                self._running = None
                await self._absorb_cancel()
                answer.tell()

    async def _ask(self, answer: Answer) -> None:
        answer.refusal, answer.compared, answer.said = None, (), ""
        await self._run(answer, f"ASK {quote_literal(answer.question)}")

    async def _run(self, answer: Answer, sql: str) -> None:
        """Run an ASK, or a statement that answers as one; what it tells and returns is the answer's."""
        told: list[Mapping[str, str]] = []
        before = self._latest()

        def notice(fields: Mapping[str, str]) -> None:
            if not fields.get("D") and is_progress(fields.get("M", "")):
                answer.progress = without_name(fields["M"])
                answer.tell()
            else:
                told.append(fields)

        answer.first_line, answer.lines, answer.hint, answer.warnings = "", (), "", []
        try:
            result = await run(self._connection, sql, notice, most=MOST_ROWS, most_bytes=MOST_BYTES)
        except DatabaseFailed:
            if self._latest() != before:
                self._note_key(answer)
            raise
        answer.take(result)
        answer.refusal = None
        for fields in told:
            if fields.get("V") == "WARNING" or not is_ours(fields.get("M", "")):
                answer.warnings.append(without_name(fields.get("M", "")))
            else:
                answer.first_line = without_name(fields.get("M", ""))
                answer.lines = tuple(fields.get("D", "").splitlines())
                answer.hint = fields.get("H", "")
        self._note_key(answer)
        answer.sql = self._sql()
        if not answer.first_line and (last := self._last()) and last.choice:
            answer.first_line = last.choice.verdict.candidate.reading

    async def _compare(self, answer: Answer) -> None:
        found = await run(self._connection, f"ASK (CHOICES) {quote_literal(answer.question)}", _ignore)
        self._note_key(answer)
        places = {column.name: n for n, column in enumerate(found.columns)}
        if not {"n", "chosen", "reading", "support", "sql", "rows", "differs"} <= set(places):
            raise NotPossibleHere("this question has one reading only")
        answer.compared = tuple(_compared({name: row[n] for name, n in places.items()}) for row in found.rows)

    async def _say(self, answer: Answer, said: Judgement, number: int, sql: str) -> None:
        number = await self._at_hand(answer, said, number)
        if said == "chosen":
            answer.compared = ()
            await self._run(answer, f"ASK CHOOSE {number}")
        else:
            given = f" {quote_literal(sql)}" if sql else ""
            try:
                await run(self._connection, f"ASK {said.upper()}{given}", _ignore)
            except DatabaseFailed as failed:
                raise NotPossibleHere(failed.message, hint=failed.hint) from None
            if sql:
                await self._run(answer, f"ASK {quote_literal(answer.question)}")
        answer.said = said

    async def _at_hand(self, answer: Answer, said: Judgement, number: int) -> int:
        """Have the question be the session's last ASK; the number that the reading has now.

        Raises NotPossibleHere where it is answered otherwise by now.
        """
        last = self._last()
        if last is not None and last.asked in answer.keys:
            return number
        sql = answer.sql
        if said == "chosen":
            sql = next((known.sql for known in answer.readings if known.number == number), "")
        before = self._latest()
        try:
            await run(self._connection, f"ASK {quote_literal(answer.question)}", _ignore, most=1)
        except DatabaseFailed:
            if self._latest() == before:
                raise
        self._note_key(answer)
        if said == "chosen":
            found = next((known.number for known in answer.readings if known.sql == sql), 0)
        else:
            found = number if self._sql() == sql else -1
        if found < 0 or (said == "chosen" and not found):
            raise NotPossibleHere(
                "the answer to this question has changed", hint="Ask it again, then say what is right."
            )
        return found

    # -- what the session remembers

    def _last(self) -> LastAsk | None:
        memory = self._entrance.memory
        return memory.last if memory else None

    def _latest(self) -> str:
        memory = self._entrance.memory
        return memory.latest if memory else ""

    def _sql(self) -> str:
        last = self._last()
        return last.choice.verdict.sql if last and last.choice else ""

    def _note_key(self, answer: Answer) -> None:
        """The ASK just ended is about this answer: its key, and its readings under their numbers."""
        key, last = self._latest(), self._last()
        if key and key not in answer.keys:
            answer.keys.append(key)
        if last and last.asked in answer.keys:
            chosen = last.choice.verdict.sql if last.choice else None
            answer.readings = tuple(_offered(n, v, chosen) for n, v in enumerate(last.readings, 1))
        else:
            answer.readings = ()

    # -- turns and cancel requests

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        if self.ended:
            raise NotPossibleHere(self.ended, hint="Sign in again.")
        try:
            async with asyncio.timeout(PAGE_TIMEOUT_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            raise NotPossibleHere(
                "a question is being worked on", hint="Try again when it is done."
            ) from None
        try:
            yield
        except BackendGone as gone:
            raise DatabaseFailed(self.ended or str(gone), code=_CONNECTION_FAILURE) from None
        finally:
            self._turn.release()

    async def _press(self, answer: Answer) -> None:
        """Ask for its end until it has come: a request that comes too early finds nothing to cancel."""
        while self._running is answer:
            with suppress(OSError, CancelUnanswered):
                await self._connection.cancel()
            await asyncio.sleep(_CANCEL_RETRY_SECONDS)

    async def _absorb_cancel(self) -> None:
        """Have a cancel request that came too late meet a statement of ours, and no other question."""
        pressing, self._pressing = self._pressing, None
        if pressing is None:
            return
        await asyncio.wait((pressing,))
        with suppress(DatabaseFailed, BackendGone):
            await run(self._connection, "SELECT 1", _ignore)

    async def _end(self, reading: RowReader) -> None:
        """Have a statement end that may not have returned all of its rows."""
        with suppress(BackendGone):
            if reading.in_flight:
                with suppress(OSError, CancelUnanswered):
                    await self._connection.cancel()
            await reading.end()


def _sentences(message: str, hint: str) -> str:
    """An error of ours in one line."""
    return " ".join(filter(None, (f"{message[:1].upper()}{message[1:]}.", hint)))


def _ignore(_fields: Mapping[str, str]) -> None:
    """Nothing is said to anybody."""


def _offered(number: int, verdict: Verdict, chosen: str | None) -> NumberedReading:
    result = verdict.result
    example = ""
    if result and len(result.rows) == 1 and len(result.rows[0]) == 1:
        cell = result.rows[0][0]
        example = "NULL" if cell is None else cell[:80]
    rows = len(result.rows) if result and not result.truncated else None
    reading = " ".join(verdict.candidate.reading.split())
    return NumberedReading(number, reading, verdict.sql, rows, verdict.sql == chosen, example)


def _compared(row: Mapping[str, str | None]) -> ComparedReading:
    return ComparedReading(
        number=int(row["n"] or 0),
        chosen=row["chosen"] in ("t", "true"),
        reading=" ".join((row["reading"] or "").split()),
        support=None if row["support"] is None else float(row["support"]),
        sql=row["sql"] or "",
        rows=None if row["rows"] is None else int(row["rows"]),
        differs=row["differs"] or "",
    )
