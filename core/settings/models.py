"""The settings that choose what models do for an ASK, stage by stage.

`effort` and `model_strategy` choose all of it; each further setting here takes one stage out of that choice,
for measuring what it is worth, or for a database that is peculiar. Owns: these rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askwire.core.settings.parsing import one_of, parse_int, parse_text
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CONFIGURATION, COUNT, STAGE, Strictness, neutral, strictest_first

AUTO: Final = "auto"
"""The value of a setting that leaves the choice to `effort` and `model_strategy`."""

STRATEGIES: Final = ("pv-sql", "apex", "ssev", "recap")
"""Ways of working that are each one paper's, and nothing else's."""


def parse_number_or_auto(value: str) -> int | None:
    """A non-negative whole number, or None for `auto`."""
    try:
        return None if value.strip().lower() == AUTO else parse_int(value)
    except ValueError:
        raise ValueError("expected auto or a whole number") from None


def _operators(configured: str, _asked: str) -> str:
    return configured


def _words(name: str, words: tuple[str, ...], help_: str, strictness: Strictness = STAGE) -> Setting[str]:
    return Setting(f"model_{name}", AUTO, one_of(AUTO, *words), help_, strictness=strictness)


def _number(name: str, help_: str) -> Setting[int | None]:
    parse: Callable[[str], int | None] = parse_number_or_auto
    return Setting(f"model_{name}", AUTO, parse, help_, strictness=COUNT)


_ON_OR_OFF: Final = ("on", "off")

STRATEGY: Final = Setting(
    "model_strategy",
    AUTO,
    one_of(AUTO, *STRATEGIES),
    "How models work: `pv-sql`, `apex`, `ssev` or `recap`, as the paper of that name has it and no more, "
    "or `auto`: as each expert's `style` says. How much of it is done is the effort's choice. What a model "
    "wrote is then neither mended nor checked, but for `pv-sql`, which has ten kinds of constraint.",
    _operators,
    default_binds=False,
    strictness=neutral("effort, budgets and egress bound every way of working"),
)
LINKING: Final = _words(
    "linking",
    ("off", "prune", "large", "always"),
    "Whether the model itself chooses the tables and columns that it is shown. `large`: where the schema is "
    "too large to be shown whole; `prune`: likewise, by pruning alone, without roles, profiles, synthesis; "
    "`always`; `off`: the embedded linker alone chooses.",
)
PLAN: Final = _words(
    "plan",
    ("off", "logical", "steps"),
    "Whether the model plans before it links and writes: `logical`, steps that name no table, of two drafts "
    "(APEX); `steps`, over the tables shown, with the columns of the result (ReCAP).",
)
CRITIQUES: Final = _number(
    "critiques", "How often at most a plan of `steps` is criticised and rewritten. 0: never."
)
PATHS: Final = _words(
    "paths",
    _ON_OR_OFF,
    "Whether the model lists, per step of a plan, the ways in which SQL can do it (APEX).",
)
PRUNING: Final = _words(
    "pruning",
    ("both", "drop", "keep"),
    "How pruning asks: what may go (`drop`), what must stay (`keep`), or both: then only what may go and "
    "need not stay goes.",
    neutral("it chooses how models are asked, not how often"),
)
ROLES: Final = _words(
    "roles", _ON_OR_OFF, "Whether tables that pruning left get roles: target, bridge, filter (APEX)."
)
PROFILING: Final = _words(
    "profiling",
    _ON_OR_OFF,
    "Whether each table that pruning left is looked into, with 3 to 8 queries, before it is kept (APEX).",
)
SYNTHESIS: Final = _words(
    "synthesis",
    (*_ON_OR_OFF, "once"),
    "Whether the tables that are left are judged together at the end, as one connected schema, with queries "
    "in between (APEX); `once`: in a single call, without a query.",
)
REVIEWS: Final = _words(
    "reviews",
    ("off", "critique", "answer", "both"),
    "Which opinions a way of working asks for by itself, beside those of `review`: of the SQL before it runs "
    "(`critique`), of its result (`answer`), or both (ReCAP).",
)
PROBING: Final = _words(
    "probing",
    ("off", "pv-sql", "apex", "recap"),
    "How the model looks into the data before it writes: `pv-sql`, a few single looks; `apex`, the actions "
    "EXPLORE, REFINE, SQL and CONFIRM; `recap`, one action at a time over the steps of a plan.",
)
PROBES: Final = _number("probes", "How many looks `pv-sql` may take (its K).")
CELLS: Final = _number("cells", "How many rows of each table shown are sent as examples (SSEV has 3).")
SECOND: Final = _words(
    "second",
    ("off", "own", "union", "voted"),
    "Whether the model writes once more over the tables of first drafts (SSEV): its `own`, those of all "
    "experts together (`union`), or those of the drafts whose results most experts agree on (`voted`).",
)
REFINEMENTS: Final = _number(
    "refinements",
    "How often a first draft that fails or finds nothing is rewritten before its tables count.",
)
SCHEMA_STEPS: Final = _number(
    "schema_steps",
    "How many steps a model may search the schema when its query names a table or column that is not there "
    "(ReCAP has 30).",
)
GUIDANCE: Final = _words(
    "guidance",
    _ON_OR_OFF,
    "Whether the model gets the tips that the question, the evidence, the plan and the schema call for "
    "(APEX).",
)
DEMONSTRATIONS: Final = _number(
    "demonstrations",
    "How many questions with their SQL are sent as examples, the most similar ones (SSEV has 9). They are "
    "what the role or an operator confirmed on this database; `ssev` and `thorough` add some that come with "
    "askwire.",
)
SIMILARITY: Final = _words(
    "similarity",
    ("lexical", "embedding"),
    "How examples are found: `lexical`, by the words of questions whose names and values are masked; "
    "`embedding`, by the expert's `embedding_model`, where it has one. `auto` is `lexical`.",
    Strictness(
        "ordered", "lexical, or as configured", lambda configured, asked: asked in ("lexical", configured)
    ),
)
KNOWLEDGE: Final = _words(
    "knowledge",
    _ON_OR_OFF,
    "Whether the model gets what the documents in `knowledge` and the glossary say about the question "
    "(ReCAP).",
)
SYNTAX: Final = _words(
    "syntax",
    _ON_OR_OFF,
    "Whether the model gets a list of the functions of this server that the question may need (ReCAP).",
)
EVIDENCE: Final = _words(
    "evidence",
    _ON_OR_OFF,
    "Whether a hint that is too long to be sent whole is cut to the parts that the question is about "
    "(APEX); `off`: only its beginning is sent.",
)
KNOWLEDGE_FOLDER: Final = Setting(
    "knowledge",
    "",
    parse_text,
    "A folder of Markdown files (`*.md`) about the data: what words mean, how figures are calculated. Models "
    "get the sections that a question is about, of every role's questions. Empty: none.",
    strictness=CONFIGURATION,
)
KNOWLEDGE_HOLDS: Final = Setting(
    "knowledge_holds",
    "schema",
    one_of("schema", "rows"),
    "What the files in `knowledge` tell of: `schema`, no more than names and comments of the schema do; "
    "`rows`, values of rows too: then they leave only with `egress = rows`.",
    strictness=strictest_first("rows", "schema"),
)

MODEL_SETTINGS: Final = (
    STRATEGY,
    LINKING,
    PLAN,
    CRITIQUES,
    PATHS,
    PRUNING,
    ROLES,
    PROFILING,
    SYNTHESIS,
    PROBING,
    PROBES,
    CELLS,
    SECOND,
    REFINEMENTS,
    SCHEMA_STEPS,
    REVIEWS,
    GUIDANCE,
    DEMONSTRATIONS,
    SIMILARITY,
    KNOWLEDGE,
    SYNTAX,
    EVIDENCE,
    KNOWLEDGE_FOLDER,
    KNOWLEDGE_HOLDS,
)
"""In the order the documentation shows them."""
