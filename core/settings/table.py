"""Every setting of askwire, as one table: name, default, scope, and what it means.

The table is the single source: the configuration file, the environment, the command line, session
parameters and docs/configuration.md are all read from it or checked against it.

Scopes. `server` settings belong to the operator and hold for the process. `session` settings may also be
given by the asker (`SET askwire.name = …`); limits and permissions can only be tightened that way, which
`tighten` enforces per setting. How an asker is answered is the asker's: `notices`, `progress`, and
`on_ambiguity` while the operator has not given it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from askwire.core.egress import Level, strictest
from askwire.core.errors import ConfigurationError
from askwire.core.settings.budgets import BUDGET_SETTINGS
from askwire.core.settings.confidence_levels import ANSWER_CONFIDENCE as ANSWER_CONFIDENCE  # noqa: PLC0414 - as below
from askwire.core.settings.confidence_levels import CONFIDENCE_SETTINGS
from askwire.core.settings.console import CONSOLE_SETTINGS
from askwire.core.settings.data_values import VALUE_SETTINGS
from askwire.core.settings.memory import MEMORY_SETTINGS
from askwire.core.settings.models import MODEL_SETTINGS
from askwire.core.settings.notices import NOTICE_SETTINGS
from askwire.core.settings.operations import OPERATIONS_SETTINGS
from askwire.core.settings.parsing import (
    one_of,
    parse_bool,
    parse_duration,
    parse_experts,
    parse_float,
    parse_int,
    parse_names,
    parse_share,
    parse_size,
    parse_text,
    some_of,
)
from askwire.core.settings.relay import ALLOW_TRUST as ALLOW_TRUST  # noqa: PLC0414 - as below
from askwire.core.settings.relay import CONNECTION_SETTINGS, LISTEN, RELAY_SETTINGS
from askwire.core.settings.selection import SELECTION_SETTINGS
from askwire.core.settings.setting import Setting as Setting  # noqa: PLC0414 - who reads the table needs its rows' type
from askwire.core.settings.setting import SettingValue
from askwire.core.settings.strictness import (
    CAP,
    CONFIGURATION,
    FEWER,
    FEWER_OF_ALL,
    HIGHER,
    LOWER,
    NONE_ELSE,
    OFF_IS_STRICTER,
    ON_IS_STRICTER,
    smaller,
    strictest_first,
)

T = TypeVar("T")


def _error_wins(configured: str, asked: str) -> str:
    """The stricter of two answers to an ambiguous question."""
    return "error" if "error" in (configured, asked) else asked


def _both(configured: frozenset[str] | None, asked: frozenset[str] | None) -> frozenset[str] | None:
    """The names that both let, where None lets all."""
    if configured is None or asked is None:
        return configured if asked is None else asked
    return configured & asked


_EFFORTS: Final = ("fast", "balanced", "thorough")


def _less_effort(configured: str, asked: str) -> str:
    """The one that costs less."""
    return min(configured, asked, key=_EFFORTS.index)


class Settings:
    """The values in force: the table's defaults under whatever was given.

    `given` are the settings that the operator gave: by name, the text and where it stands; `asked` the names
    of those that a session set.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        given: Mapping[str, SettingValue] | None = None,
        asked: frozenset[str] = frozenset(),
    ) -> None:
        self._values = values
        self._given = given or {}
        self._asked = asked

    def given(self, name: str) -> SettingValue | None:
        """What the operator wrote for a setting, and where; None where its default holds."""
        return self._given.get(name)

    def stated(self, setting: Setting[T]) -> bool:
        """Whether the operator or the session set it, to its default as well."""
        return setting.name in self._given or setting.name in self._asked

    def keeping(self, before: Settings, names: Sequence[str]) -> Settings:
        """These settings, with the values that the named ones had `before`."""
        kept = {name: before._values[name] for name in names}
        return Settings({**self._values, **kept}, self._given, self._asked)

    def giving(self, given: Mapping[str, SettingValue]) -> Settings:
        """These settings with others given over them, by name.

        Raises ConfigurationError for a value that cannot be read.
        """
        values = {name: _parsed(TABLE[name], one.text) for name, one in given.items()}
        return Settings({**self._values, **values}, {**self._given, **given}, self._asked)

    def __getitem__(self, setting: Setting[T]) -> T:
        return self._values[setting.name]  # type: ignore[return-value]

    def for_session(self, asked: Mapping[str, str]) -> Settings:
        """These settings tightened by a session's `askwire.*` parameters (names without the prefix).

        Unknown names and settings of server scope are ignored here: a session cannot widen anything.
        Raises ConfigurationError for a value that cannot be read.
        """
        values = dict(self._values)
        heard = set(self._asked)
        for name, text in asked.items():
            setting = TABLE.get(name)
            if setting is None or setting.tighten is None or text == "":
                continue
            value = _parsed(setting, text)
            heard.add(name)
            bound = setting.default_binds or name in self._given
            values[name] = setting.tighten(values[name], value) if bound else value
        return Settings(values, self._given, frozenset(heard))


def _parsed(setting: Setting[T], text: str) -> T:
    try:
        return setting.parse(text)
    except ValueError as error:
        raise ConfigurationError(f"setting {setting.name!r} cannot be {text!r}: {error}") from None


BACKEND: Final = Setting(
    "backend",
    "",
    parse_text,
    "Where PostgreSQL is, as a libpq connection string or URI. Only host, port and the TLS parameters "
    "(`sslmode`, `sslrootcert`) are used: user, password and database are the client's own.",
    live=False,
)
LOG_LEVEL: Final = Setting(
    "log_level",
    "info",
    one_of("debug", "info", "warning", "error"),
    "What is logged. SQL text, parameters and data appear only at debug; secrets never.",
    strictness=strictest_first("error", "warning", "info", "debug"),
)
SCAN_LIMIT: Final = Setting(
    "scan_limit",
    "1MB",
    parse_size,
    "Query and Parse messages longer than this are relayed without being searched for ASK.",
    strictness=CONFIGURATION,
)
ASK_FUNCTION: Final = Setting(
    "ask_function",
    "ask",
    parse_text,
    "Name of the function form, `SELECT * FROM ask('question')`, for clients that only accept SELECT; empty "
    "switches the form off. A database that has a function of this name keeps it.",
    strictness=CONFIGURATION,
)
QUESTION_LIMIT: Final = Setting(
    "question_limit",
    "4kB",
    parse_size,
    "The longest question accepted, in bytes of UTF-8.",
    strictness=CAP,
)
TIMEOUT: Final = Setting(
    "timeout",
    "30s",
    parse_duration,
    "How long one ASK may take before its SQL is forwarded; then NL005. The SQL itself runs under the "
    "session's own statement_timeout.",
    smaller,
    strictness=CAP,
)
PROBE_TIMEOUT: Final = Setting(
    "probe_timeout",
    "1s",
    parse_duration,
    "The statement_timeout of each statement askwire runs on its own.",
    smaller,
    strictness=CAP,
)
PROBE_LOCK_TIMEOUT: Final = Setting(
    "probe_lock_timeout",
    "100ms",
    parse_duration,
    "The lock_timeout of each statement askwire runs on its own.",
    smaller,
    strictness=CAP,
)
PROBE_MAX_ROWS: Final = Setting(
    "probe_max_rows",
    "1000",
    parse_int,
    "Rows a candidate may return while it is tried; more are cut off.",
    smaller,
    strictness=CAP,
)
PROBE_MAX_BYTES: Final = Setting(
    "probe_max_bytes",
    "4MB",
    parse_size,
    "Bytes a candidate may return while it is tried; more are cut off.",
    smaller,
    strictness=CAP,
)
PROBE_MAX_COST: Final = Setting(
    "probe_max_cost",
    "1000000",
    parse_float,
    "Candidates whose plan costs more (in the planner's units) are not run to be tried, only explained.",
    smaller,
    strictness=CAP,
)
PROBE_BACKEND: Final = Setting(
    "probe_backend",
    "",
    parse_text,
    "A hot standby of the backend that runs what is tried to find an answer, as a libpq connection string "
    "or URI. Each client is logged in there as itself, where its log-in can be passed on; or askwire as the "
    "user given here, which takes the client's role.",
    live=False,
    strictness=CONFIGURATION,
)
PROBE_MAX_LAG: Final = Setting(
    "probe_max_lag",
    "10s",
    parse_duration,
    "How old the data of that standby may be; the backend runs everything where it is older. 0: it must show "
    "all that was written before the ASK.",
    min,
    strictness=LOWER,
)
CANDIDATES: Final = Setting(
    "candidates",
    "12",
    parse_int,
    "Candidates tried per ASK, the experts' best first.",
    smaller,
    strictness=CAP,
)
REPAIRS: Final = Setting(
    "repairs",
    "5",
    parse_int,
    "How often a model may rewrite one candidate that failed or does not do what the question asks. 0: "
    "never. Repairs that need no model are always made.",
    min,
    strictness=LOWER,
)
REVIEW: Final = Setting(
    "review",
    "",
    some_of("critique", "demands", "answer"),
    "What models give an opinion on, separated by commas: `critique` each candidate's SQL before it runs, "
    "`demands` the same against a list that the model makes of the question, `answer` each result (only with "
    "`egress = rows`). Up to 8 texts each per ASK, as calls of the first model that did not write them. An "
    "opinion is evidence: it asks for a repair and lowers the odds of a candidate. Empty or `none`: nothing.",
    lambda configured, asked: configured & asked,
    strictness=FEWER,
)
CHECKS: Final = Setting(
    "checks",
    "rules",
    one_of("rules", "models"),
    "What checks a candidate against the question: `rules`, or `models` alone, by `review` (PV-SQL's "
    "ablation with verification by a model). What does not run is repaired either way, and the gate stands.",
    strictness=strictest_first("rules", "models"),
)
SYSTEM_CATALOGS: Final = Setting(
    "system_catalogs",
    "off",
    parse_bool,
    "Whether machine-written SQL may read pg_catalog and information_schema.",
    strictness=OFF_IS_STRICTER,
)
TELL_UNREADABLE: Final = Setting(
    "tell_unreadable",
    "on",
    parse_bool,
    "Whether a question that names a table or column which the asker may not read gets an error that says "
    "so (NL002), instead of one that says that nothing of the kind is known. "
    "PostgreSQL shows these names to every role.",
    lambda configured, asked: configured and asked,
    strictness=OFF_IS_STRICTER,
)
FOREIGN_TABLES: Final = Setting(
    "foreign_tables",
    "off",
    parse_bool,
    "Whether machine-written SQL may read relations that reach a foreign server or program; what a remote "
    "side does is not known to be read-only.",
    strictness=OFF_IS_STRICTER,
)
ALLOWED_FUNCTIONS: Final = Setting(
    "allowed_functions",
    "",
    parse_names,
    "Functions and aggregates outside pg_catalog that machine-written SQL may call, `schema.name` separated "
    "by commas. They run with all rights of the asker: "
    "list only functions that read and that no other role can replace.",
    strictness=FEWER,
)
ALLOWED_OPERATORS: Final = Setting(
    "allowed_operators",
    "",
    parse_names,
    "Operators outside pg_catalog likewise, as `schema.operator`.",
    strictness=FEWER,
)
ALLOWED_TYPES: Final = Setting(
    "allowed_types",
    "",
    parse_names,
    "Types outside pg_catalog that machine-written SQL may cast to, likewise.",
    strictness=FEWER,
)
FINAL_MAX_COST: Final = Setting(
    "final_max_cost",
    "0",
    parse_float,
    "An ASK whose chosen SQL has a plan that costs more (in the planner's units) is refused with NL005, "
    "which shows the SQL, so that the asker can run it. 0: no limit; the session's "
    "`statement_timeout` holds.",
    smaller,
    strictness=CAP,
)
FINAL_READ_ONLY: Final = Setting(
    "final_read_only",
    "off",
    parse_bool,
    "Refuse ASK inside a read-write transaction block: there the chosen SQL runs read-write, protected by "
    "the gate alone.",
    lambda configured, asked: configured or asked,
    strictness=ON_IS_STRICTER,
)
EGRESS: Final = Setting(
    "egress",
    "schema",
    one_of("none", "schema", "masked", "rows"),
    "What may leave for a language model: `none` nothing at all, `schema` the question, names, comments and "
    "enum labels, `masked` also the shapes of some values and rows (letters as x and X, digits as 9; no "
    "model looks into the data), `rows` values, rows, statistics and error texts too. Nothing leaves where "
    "no model is configured. `ASK (WHY)` tells what left.",
    strictest,
    strictness=strictest_first(*(level.value for level in Level)),
)
EXPERTS: Final = Setting(
    "experts",
    "",
    parse_experts,
    "Which experts are asked, by name, separated by commas: `embedded` and those of "
    "`[experts.<name>]`. Empty: all.",
    _both,
    strictness=FEWER_OF_ALL,
)
EFFORT: Final = Setting(
    "effort",
    "balanced",
    one_of(*_EFFORTS),
    "How much the models do for one ASK: `fast` one call each, `balanced` looks into the data first, "
    "`thorough` also chooses what it is shown of a large schema, and writes twice, the second time with the "
    "tables of all first drafts. docs/models.md says how `model_strategy` changes it.",
    _less_effort,
    strictness=strictest_first(*_EFFORTS),
)
AMBIGUITY_MARGIN: Final = Setting(
    "ambiguity_margin",
    "0.1",
    parse_share,
    "Of two readings with different results the better one is the answer when its support exceeds the "
    "other's by at least this share of both together (0 to 1); else the question is ambiguous. 0: never.",
    max,
    strictness=HIGHER,
)
JUDGE: Final = Setting(
    "judge",
    "",
    parse_text,
    "The expert (`[experts.<name>]`) that is asked which of two readings is right, on a few rows on which "
    "they differ: each of the best four with each other (`effort = thorough`: eight), as far as calls, "
    "tokens and time last; with `effort = fast` once, about the best two. It needs `egress = rows`. Its "
    "rulings are weighted by how often judges of its kind are right, and later by how often it was itself. "
    "Empty: no judge.",
    strictness=NONE_ELSE,
)
JUDGE_BY: Final = Setting(
    "judge_by",
    "hand",
    one_of("hand", "python"),
    "How the judge finds the answer on these rows: `hand` works it out from real ones, `python` writes code "
    "over a made-up database, which runs in a sandbox (`askwire check` says whether there is one). `./ask "
    "serve` installs what `python` needs; elsewhere it is the extra `askwire[solver]`.",
    strictness=strictest_first("hand", "python"),
)
JUDGE_MARGIN: Final = Setting(
    "judge_margin",
    "0.1",
    parse_share,
    "By how much the second reading's score must exceed the first's, where the judge writes Python (0 to 1).",
    strictness=HIGHER,
)
MAX_ERROR: Final = Setting(
    "max_error",
    "1",
    parse_share,
    "The largest share of answers that may be wrong (0 to 1): what is less sure is not answered (NL003). "
    "Held by recorded feedback from 200 judged answers on, before that by a curve that comes with askwire "
    "(`ask.calibration` says which). 1: no limit.",
    min,
    strictness=LOWER,
)
ON_AMBIGUITY: Final = Setting(
    "on_ambiguity",
    "error",
    one_of("error", "best"),
    "What an ambiguous question gets: `error` shows the readings (NL001), `best` answers with the best one "
    "and says so. `error` is the stricter: where the operator gives it, it holds for every session.",
    _error_wins,
    default_binds=False,
    strictness=strictest_first("error", "best"),
)
TABLE: Final[Mapping[str, Setting[object]]] = {
    s.name: s  # type: ignore[misc]
    for s in (
        LISTEN,
        BACKEND,
        ALLOW_TRUST,
        *CONNECTION_SETTINGS,
        LOG_LEVEL,
        *RELAY_SETTINGS,
        SCAN_LIMIT,
        ASK_FUNCTION,
        QUESTION_LIMIT,
        TIMEOUT,
        CANDIDATES,
        REPAIRS,
        REVIEW,
        CHECKS,
        *CONFIDENCE_SETTINGS,
        AMBIGUITY_MARGIN,
        *SELECTION_SETTINGS,
        JUDGE,
        JUDGE_BY,
        JUDGE_MARGIN,
        MAX_ERROR,
        ON_AMBIGUITY,
        *NOTICE_SETTINGS,
        PROBE_TIMEOUT,
        PROBE_LOCK_TIMEOUT,
        PROBE_MAX_ROWS,
        PROBE_MAX_BYTES,
        PROBE_MAX_COST,
        PROBE_BACKEND,
        PROBE_MAX_LAG,
        SYSTEM_CATALOGS,
        TELL_UNREADABLE,
        FOREIGN_TABLES,
        ALLOWED_FUNCTIONS,
        ALLOWED_OPERATORS,
        ALLOWED_TYPES,
        FINAL_MAX_COST,
        FINAL_READ_ONLY,
        *VALUE_SETTINGS,
        EGRESS,
        EXPERTS,
        EFFORT,
        *MODEL_SETTINGS,
        *BUDGET_SETTINGS,
        *MEMORY_SETTINGS,
        *CONSOLE_SETTINGS,
        *OPERATIONS_SETTINGS,
    )
}
"""Every setting by name, in the order the documentation shows them."""


def load(*sources: Mapping[str, str], called: Sequence[str] = ()) -> Settings:
    """Settings from several sources, later ones winning; raises ConfigurationError for what it cannot use.

    `called` names the sources for people, in their order.
    """
    given: dict[str, SettingValue] = {}
    for source, where in zip(sources, (*called, *[""] * len(sources)), strict=False):
        given.update({name: SettingValue(text, where) for name, text in source.items()})
    for name in given:
        if name not in TABLE:
            raise ConfigurationError(
                f"unknown setting {name!r}", hint="docs/configuration.md lists every setting."
            )
    values = {n: _parsed(s, given[n].text if n in given else s.default) for n, s in TABLE.items()}
    return Settings(values, given)
