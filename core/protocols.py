"""The seams: what a stage may ask of the outside world, without knowing who answers.

`Executor` is the asker's own backend connection (in tests, any PostgreSQL connection); `Clock` makes time a
parameter; `Store` is what outlives an ASK; `Model` is a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from askwire.core.records import Record
from askwire.core.types import Cell, Plan, ResultSet


class Clock(Protocol):
    """Time as a parameter: seconds, monotonic, from an arbitrary origin."""

    def monotonic(self) -> float:
        """Seconds that never go backwards."""


class Batch(Protocol):
    """One read-only (sub)transaction on the asker's connection; rolled back when it is left.

    Every method raises `core.errors.DatabaseFailed` with the backend's SQLSTATE when the statement fails;
    the batch stays usable afterwards. `core.errors.AskCanceled` and `core.errors.BudgetSpent` end it.
    """

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own; 0 means no row cap and the batch's default time-out.

        `sql` is written by askwire: identifiers quoted, values only as `$n` parameters (text format; cast
        them in the SQL, `$1::text[]` with `sql.literals.array_text` for lists).
        """

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """Run one machine-written statement: gated (again), capped in plan cost, rows, bytes and time.

        What was not planned yet on this connection is planned first. `template` is for what askwire's own
        code put together of names of the catalog, or around statements that have been planned: it is gated,
        and not planned. Raises `core.errors.RefusedByGate` before anything reaches the backend, and
        `core.errors.TooCostly` instead of running what costs too much.
        """

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement without running it; gated as `run` is."""


class Executor(Protocol):
    """The asker's backend connection as the pipeline sees it."""

    def batch(self) -> AbstractAsyncContextManager[Batch]:
        """Open a short read-only batch. Never keep one open while an engine or a model thinks."""


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """How a store fares: records `waiting` to be written, `written` and `lost` since the start.

    `trouble` is one phrase on why it cannot be used at the moment, '' when it can. `room` is how many records
    can wait, 0 where none do. `news` says how changes of other processes arrive: 'listen', 'poll', or ''.
    """

    waiting: int = 0
    written: int = 0
    lost: int = 0
    trouble: str = ""
    room: int = 0
    news: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What records have to be about: those of a kind that has an index of `digest` (`store.tables`).

    `values` are the digests looked for, any of which a record may have.
    """

    digest: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A record that another process put or removed (`gone`); without a kind: any may have been."""

    kind: type[Record] | None = None
    key: str = ""
    gone: bool = False
    role: str = ""
    server: str = ""
    database: str = ""


class Store(Protocol):
    """What outlives an ASK. A store that is down, locked or full loses records, never an ASK.

    `put` and `remove` return at once and never raise: what cannot be written is counted as lost and logged.
    `keep` is for what somebody waits to hear of.
    """

    def put(self, *records: Record) -> None:
        """Keep records; one with a key that is there already takes its place."""

    def remove(self, kind: type[Record], key: str) -> None:
        """Forget one record; nothing happens when it is not there."""

    async def keep(
        self,
        *changes: Record | tuple[type[Record], str],
        timeout: float = 2.0,  # noqa: ASYNC109 - a bound on a queue's answer, not on this coroutine
    ) -> None:
        """Keep records and forget (kind, key) pairs, all of them: on return they are written.

        What was `put` before is written first. Raises core.errors.StoreFailed when that is not possible
        within `timeout` seconds, and then none of them is kept (unless the error says that no one knows).
        """

    async def find(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool] | None = None,
        *,
        about: About | None = None,
        words: str = "",
        before: tuple[float, str] | None = None,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - a bound on a queue's answer, not on this coroutine
    ) -> Sequence[R]:
        """Records whose fields equal the given values, latest first; all that was `put` before is seen.

        With `about`, only records that are about it; others cost nothing then. `words` have to occur
        somewhere in the texts that people wrote or read (a question, SQL, a term, …), whatever the case of
        their ASCII letters. With `before`, only records that come after the one with that `at` and `key`.

        Raises core.errors.StoreFailed when the store cannot answer within `timeout` seconds.
        """

    async def count(
        self,
        kind: type[Record],
        equal: Mapping[str, str | bool] | None = None,
        *,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - a bound on a queue's answer, not on this coroutine
    ) -> int:
        """How many records `find` would return; raises core.errors.StoreFailed as it does."""

    def watch(self, seen: Callable[[Sequence[Change]], None]) -> None:
        """Call `seen` in the running loop, soon after another process changed something.

        A store that one process uses never does. Call it once.
        """

    @property
    def status(self) -> StoreStatus:
        """How it fares; costs nothing."""

    async def close(self) -> None:
        """Write what waits, for a bounded time, and let go of everything."""


class Document(Protocol):
    """A text that an operator wrote about the data."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def text(self) -> str:
        """All of it, as Markdown."""


class Documents(Protocol):
    """The texts that an operator wrote about the data."""

    async def read(self) -> Sequence[Document]:
        """All of them; the same object as before where nothing has changed. Never raises."""


class SealedText(Protocol):
    """Text that may be sent to a model: only `llm.egress` makes it, and models take nothing else."""

    @property
    def text(self) -> str:
        """All of it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call of a model; `estimated` where the endpoint did not count them itself.

    `cached_tokens` are part of `prompt_tokens`, `reasoning_tokens` of `completion_tokens`.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered: its text, and what that used. `cut` when it ran into the limit of tokens."""

    text: str
    usage: Usage
    cut: bool = False


class Model(Protocol):
    """A language model at some endpoint. Cancelling a call ends it at the endpoint as well."""

    @property
    def endpoint(self) -> str:
        """Where prompts go, without anything secret: a host and port."""

    async def prepare(self) -> None:
        """Do what the first call would have to wait for."""

    async def close(self) -> None:
        """Let go of connections."""

    async def complete(
        self,
        prompt: SealedText,
        *,
        schema: Mapping[str, object] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        timeout: float = 30.0,  # noqa: ASYNC109 - a bound on the endpoint's answer
    ) -> Completion:
        """The answer to one prompt, within `timeout` seconds, of at most `max_tokens` tokens.

        `schema` is a JSON schema that the answer is asked to follow; it is a wish: what comes back must be
        read with care. Raises core.errors.ModelFailed.
        """


@runtime_checkable
class Embedder(Protocol):
    """A model whose endpoint may turn texts into vectors as well."""

    @property
    def embeds(self) -> bool:
        """Whether it does."""

    async def embed(
        self,
        texts: Sequence[SealedText],
        *,
        timeout: float = 30.0,  # noqa: ASYNC109 - a bound on the endpoint's answer
    ) -> tuple[tuple[tuple[float, ...], ...], Usage]:
        """A vector for each text, in their order, and what that used. Raises core.errors.ModelFailed."""
