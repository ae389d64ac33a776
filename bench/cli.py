"""The command line of the benches: `answer`, `score` and `separate`.

Owns: arguments, what is printed, exit codes. The last line on standard output is one JSON object of figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from askwire.bench.answer import answer
from askwire.bench.asker import WireAsker
from askwire.bench.combined import options as combine_options
from askwire.bench.coverage import curve, drawing, thresholds
from askwire.bench.coverage import figures as at_precisions
from askwire.bench.failure import BenchFailure
from askwire.bench.linking import options as link_options
from askwire.bench.live import options as live_options
from askwire.bench.models.file_model import MADE, FileModel, made, recorded, written
from askwire.bench.proxy_process import ProxyProcess
from askwire.bench.question_files import read_asked, read_gold, read_lines, read_predicted
from askwire.bench.same import compare
from askwire.bench.score import GoldFails, figures, score
from askwire.bench.splits import part_of
from askwire.core.settings.table import ANSWER_CONFIDENCE
from askwire.core.types import Question

if TYPE_CHECKING:
    from askwire.bench.clients.matrix import Row

_INTERRUPTED = 130
_CONFIDENCES = sorted(
    {0.9, 0.8, 0.7, 0.6, 0.5, 0.0, ANSWER_CONFIDENCE.parse(ANSWER_CONFIDENCE.default)}, reverse=True
)
"""Thresholds of which `bench coverage` tells, the default among them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one bench; 0 when it went through, 130 when it was interrupted.

    1 when it could not, or when `same` found a difference.
    """
    options = _parser().parse_args(arguments)
    try:
        result: dict[str, Any] = options.run(options)
    except (BenchFailure, GoldFails) as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201 (a command line speaks)
        return 1
    except psycopg.Error as error:
        print(f"askwire: {str(error).strip()}", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        print("askwire: interrupted; the same command continues", file=sys.stderr)  # noqa: T201
        return _INTERRUPTED
    print(json.dumps(result, ensure_ascii=False))  # noqa: T201
    return int(result.get("same") is False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ask bench", description="Measure askwire.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser(
        "answer", help="ask every question of a file through the proxy and write predictions"
    )
    ask.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    ask.add_argument(
        "--questions", required=True, type=Path, help="JSON Lines: id, db_id, question, evidence"
    )
    ask.add_argument("--out", required=True, type=Path, help="predictions; answered ids in it are kept")
    ask.add_argument("--jobs", type=_positive, default=2, help="connections asking at once (default 2)")
    ask.add_argument("--limit", type=_positive, help="only the first N questions")
    ask.add_argument(
        "--refusals-null", action="store_true", help="leave `sql` null where askwire refuses to answer"
    )
    ask.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the proxy that is asked, such as effort=balanced",
    )
    ask.add_argument(
        "--expert",
        metavar="ANSWERS",
        help="beside the engine a model that answers from a file: predictions, a system of --pool, or "
        "gold, other, same, broken (right; right for another question; one query for all; queries that fail)",
    )
    ask.add_argument("--pool", type=Path, help="JSON Lines, gzipped or not: the predictions of systems")
    _add_data(ask)
    ask.set_defaults(run=_answer)
    judge = commands.add_parser("score", help="score predictions by execution against the gold SQL")
    judge.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    judge.add_argument("--questions", required=True, type=Path, help="JSON Lines with gold_sql or golds")
    judge.add_argument("--predictions", required=True, type=Path, help="what answer wrote")
    judge.add_argument("--timeout", type=float, default=10.0, help="seconds per statement (default 10)")
    judge.add_argument("--details", type=Path, help="write every question's outcome here")
    judge.add_argument(
        "--ves", action="store_true", help="also time what is right beside gold (valid-efficiency score)"
    )
    _add_data(judge)
    judge.set_defaults(run=_score)
    alike = commands.add_parser("same", help="whether two files of predictions say the same, line by line")
    alike.add_argument("before", type=Path, help="what answer wrote")
    alike.add_argument("after", type=Path, help="what it wrote for the same questions after a change")
    alike.add_argument("--common", action="store_true", help="compare the questions that both files hold")
    alike.set_defaults(run=_same)
    combined = commands.add_parser(
        "combine", help="make questions of everyday heads and filters, or group how they went by both"
    )
    combine_options.add_options(combined)
    curves = commands.add_parser(
        "coverage", help="how many questions are answered at which precision, from what score wrote"
    )
    curves.add_argument(
        "--details",
        required=True,
        action="append",
        metavar="NAME=FILE",
        help="a curve's name, and what `score --details` wrote; may be given several times",
    )
    curves.add_argument("--part", choices=("tuning", "reporting"), help="only databases of this part")
    curves.add_argument("--svg", type=Path, help="draw the curves here")
    curves.set_defaults(run=_coverage)
    apart = commands.add_parser("separate", help="find rows that tell queries apart, and audit what is found")
    apart.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    apart.add_argument(
        "--pool", type=Path, help="JSON Lines, gzipped or not: id, db_id and the experts' queries"
    )
    apart.add_argument("--questions", type=Path, help="JSON Lines whose gold_sql is one more query")
    apart.add_argument("--mutants", type=_positive, default=0, help="also N pairs of a query and a mutant")
    apart.add_argument(
        "--big",
        action="store_true",
        help="also the schema askwire_big in that database, built if absent: 2 GB",
    )
    apart.add_argument("--out", type=Path, help="a line per pair; pairs already in it are kept")
    apart.add_argument("--limit", type=_positive, help="only the first N pairs")
    apart.add_argument("--sample", type=_positive, help="only N pairs, as many of each schema")
    apart.set_defaults(run=_separate)
    mean = commands.add_parser(
        "meaning", help="which queries that answer alike today made-up rows tell apart, and at what cost"
    )
    mean.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    mean.add_argument(
        "--pool", required=True, type=Path, help="JSON Lines, gzipped or not: the experts' queries"
    )
    mean.add_argument("--questions", type=Path, help="JSON Lines whose gold_sql is one more query")
    mean.add_argument(
        "--pairs", type=_positive, default=300, help="about N mutants, and as many rewrites (default 300)"
    )
    mean.add_argument("--out", type=Path, help="a line per group")
    mean.set_defaults(run=_meaning)
    choose = commands.add_parser("select", help="choose among the predictions of a pool of systems")
    choose.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    choose.add_argument(
        "--pool", required=True, type=Path, help="JSON Lines, gzipped or not: the predictions"
    )
    choose.add_argument("--strategy", default="posterior", help="how to choose (default posterior)")
    choose.add_argument("--judge", default="", help="an expert of the environment that judges or chooses")
    choose.add_argument("--experts", help="only these systems of the pool, separated by commas")
    choose.add_argument("--out", required=True, type=Path, help="predictions; ids already in it are kept")
    choose.add_argument("--cache", type=Path, help="a file that keeps what statements answered between runs")
    choose.set_defaults(run=_select)
    clients = commands.add_parser("clients", help="ask from real clients and drivers, in every way they know")
    clients.add_argument("--dsn", required=True, help="a PostgreSQL server where a database may be made")
    clients.add_argument("--tools", required=True, type=Path, help="the folder the clients are installed in")
    clients.add_argument("--install", action="store_true", help="install them there first")
    clients.add_argument("--only", action="append", default=[], metavar="CLIENT", help="only this client")
    clients.add_argument("--page", type=Path, help="write the table into this page, docs/clients.md")
    clients.set_defaults(run=_clients)
    foreign = commands.add_parser(
        "foreign", help="other projects' own tests, directly and through the proxy, and what differs"
    )
    foreign.add_argument(
        "--dsn",
        default="",
        help="a superuser on a PostgreSQL server to spare; PostgreSQL's own tests need none",
    )
    foreign.add_argument("--suites", required=True, type=Path, help="the folder they are fetched into")
    foreign.add_argument("--only", action="append", default=[], metavar="SUITE", help="only this one")
    foreign.add_argument("--rounds", type=_positive, default=3, help="runs of each kind (default 3)")
    foreign.add_argument("--python", action="store_true", help="without the compiled part of the relay")
    foreign.set_defaults(run=_foreign)
    workload = commands.add_parser(
        "workload", help="what people's queries are worth to the embedded engine, half of gold as history"
    )
    workload.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    workload.add_argument("--questions", required=True, type=Path, help="JSON Lines with gold_sql or golds")
    workload.add_argument(
        "--part", choices=("tuning", "reporting"), help="only databases used, or not used, to write the rules"
    )
    workload.add_argument(
        "--history", type=Path, help="folder of what people write, NAME.sql: the history instead of gold"
    )
    workload.set_defaults(run=_workload)
    linking = commands.add_parser(
        "link", help="which columns the embedded linker hands to the prompts of models"
    )
    link_options.add_link(linking)
    judged = commands.add_parser("link-score", help="hold what link wrote against the columns of gold SQL")
    link_options.add_score(judged)
    cost = commands.add_parser(
        "engine", help="what the embedded engine costs, or how it reads one question, rule by rule"
    )
    cost.add_argument("--dsn", help="the PostgreSQL server and database with the data")
    cost.add_argument("--questions", type=Path, help="JSON Lines: id, db_id, question; prints the cost")
    cost.add_argument("--limit", type=_positive, help="only the first N questions")
    cost.add_argument("--trace", metavar="QUESTION", help="print each pass and each rule that fired")
    cost.add_argument("--schema", default="public", help="of --trace: the search path (default public)")
    cost.add_argument("--evidence", default="", help="of --trace: a hint given with the question")
    cost.add_argument("--fired", action="store_true", help="of --questions: how many each rule fired on")
    cost.add_argument("--order", action="store_true", help="print the rules in the order in which they run")
    cost.set_defaults(run=_engine)
    held = commands.add_parser(
        "verify", help="hold constraints against gold SQL, and checks against predictions"
    )
    held.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    held.add_argument("--questions", required=True, type=Path, help="JSON Lines with gold_sql or golds")
    held.add_argument(
        "--pool", type=Path, help="JSON Lines, gzipped or not: id and the experts' queries with their outcome"
    )
    held.add_argument(
        "--part", choices=("tuning", "reporting"), help="only databases used, or not used, to write the rules"
    )
    held.add_argument(
        "--repair",
        action="store_true",
        help="mend the pool's raw texts instead, and repair what breaks constraints by a script",
    )
    held.add_argument("--scenarios", type=_positive, default=100, help="repairs by a script (default 100)")
    held.add_argument("--out", type=Path, help="write every broken constraint and every flag here")
    held.add_argument("--limit", type=_positive, help="only the first N questions")
    held.set_defaults(run=_verify)
    models = commands.add_parser("models", help="what experts that are models cost beside the model itself")
    models.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    models.add_argument("--questions", required=True, type=Path, help="JSON Lines: id, db_id, question")
    models.add_argument("--limit", type=_positive, help="only the first N questions")
    models.set_defaults(run=_models)
    measured = commands.add_parser(
        "live", help="every strategy and ablation against a model that you name; the cost is estimated first"
    )
    live_options.add_options(measured)
    measured.set_defaults(run=_live)
    safe = commands.add_parser(
        "security", help="ask the gate about hostile and gold statements, and look at what passed leaves"
    )
    safe.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    safe.add_argument("--gold", type=Path, help="JSON Lines with gold_sql or golds: none may be refused")
    safe.add_argument(
        "--corpus", type=Path, help="hostile statements, tests/sql/safety/cases/hostile: none may pass"
    )
    safe.add_argument(
        "--disguises", type=int, default=3, help="other ways to write each statement (default 3)"
    )
    safe.add_argument("--limit", type=_positive, help="only the first N gold queries")
    safe.set_defaults(run=_security)
    speed = commands.add_parser(
        "performance", help="what relaying costs, beside PgBouncer and beside no proxy"
    )
    speed.add_argument(
        "--dsn", required=True, help="a database for pgbench's tables; no password may be asked"
    )
    speed.add_argument(
        "--part",
        action="append",
        choices=("queries", "tls", "backend_tls", "both_tls", "bulk", "memory", "large", "scanner", "asks"),
        default=[],
        help="only this; asks, and backend_tls and both_tls, which need a server with TLS, only where named",
    )
    speed.add_argument(
        "--rounds", type=_positive, default=5, help="pairs of runs, the median counts (default 5)"
    )
    speed.add_argument("--seconds", type=_positive, default=5, help="of each run of pgbench (default 5)")
    speed.add_argument("--python", action="store_true", help="without the compiled part of the relay")
    speed.add_argument("--questions", type=Path, help="for asks: JSON Lines with questions of the database")
    speed.add_argument("--limit", type=_positive, help="for asks: only the first N questions")
    speed.add_argument(
        "--delay",
        type=_positive,
        default=30,
        help="for asks: ms that a round trip to PostgreSQL takes (default 30)",
    )
    speed.set_defaults(run=_performance)
    files = commands.add_parser("files", help="what loading a file costs, beside \\copy and DuckDB alone")
    files.add_argument("--dsn", required=True, help="a database in which a schema can be made")
    files.add_argument("--rows", type=_positive, default=3_000_000, help="of the file (default 3000000)")
    files.add_argument("--rounds", type=_positive, default=3, help="of each way (default 3)")
    files.set_defaults(run=_files)
    faults = commands.add_parser("faults", help="break things on purpose, and tell what the client saw")
    faults.add_argument("--dsn", required=True, help="a server that may be killed; no password may be asked")
    faults.set_defaults(run=_faults)
    stores = commands.add_parser(
        "store", help="what a store costs: writes, news between processes, ASKs, listing a long history"
    )
    stores.add_argument("--dsn", required=True, help="a URL of a database in which schemas may be made")
    stores.add_argument("--writes", type=_positive, default=3000, help="ASKs that are kept (default 3000)")
    stores.add_argument("--pins", type=_positive, default=300, help="pins to be seen (default 300)")
    stores.add_argument("--asks", type=_positive, default=300, help="ASKs of each kind (default 300)")
    stores.add_argument(
        "--rows", type=_positive, default=1_000_000, help="the longest history (default 1000000)"
    )
    stores.set_defaults(run=_store)
    scale = commands.add_parser(
        "scale", help="what a query costs among many sessions, or an ASK among many tables or rows"
    )
    scale.add_argument(
        "--sessions",
        type=_positive,
        nargs="+",
        default=[10, 100, 1000, 5000],
        help="how many at once, one run each (default 10 100 1000 5000)",
    )
    scale.add_argument(
        "--dsn", default="", help="a server in which tables are made, instead of sessions in front of a stub"
    )
    scale.add_argument(
        "--tables",
        type=_positive,
        nargs="+",
        default=[10, 100, 1000, 10_000],
        help="how many, one run each, with --dsn (default 10 100 1000 10000)",
    )
    scale.add_argument(
        "--rows",
        type=_positive,
        nargs="+",
        default=[],
        help="rows of one table instead, one run each, with --dsn: what an ASK costs that names a value",
    )
    scale.set_defaults(run=_scale)
    soak = commands.add_parser(
        "soak", help="a long mixed load with faults in it: leaks, stuck sessions, lost rows"
    )
    soak.add_argument(
        "--dsn", required=True, help="a server with room for the clients; no password may be asked"
    )
    soak.add_argument("--clients", type=_positive, default=200, help="at once (default 200)")
    soak.add_argument("--seconds", type=_positive, default=1800, help="how long (default 1800)")
    soak.add_argument("--faults", type=float, default=0.05, help="share of things that break (default 0.05)")
    soak.set_defaults(run=_soak)
    hosts = commands.add_parser(
        "hosts", help="two hosts with one store, of which something is killed again and again"
    )
    hosts.add_argument("--clients", type=_positive, default=500, help="at once (default 500)")
    hosts.add_argument("--seconds", type=_positive, default=900, help="how long (default 900)")
    hosts.add_argument("--every", type=_positive, default=20, help="seconds between kills (default 20)")
    hosts.set_defaults(run=_hosts)
    return parser


def _store(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench import store_cost  # noqa: PLC0415 (it loads the store)

    return store_cost.measure(
        options.dsn, writes=options.writes, pins=options.pins, asks=options.asks, rows=options.rows
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return int(text)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="PATH",
        help="load this file or folder into a database made for this run on the server of --dsn; may be "
        "repeated; of several folders each is the schema of its name",
    )


def _database(options: argparse.Namespace, wanted: Collection[str]) -> AbstractContextManager[str]:
    """The database to ask: that of --dsn, or one made of --data."""
    from askwire.bench.data_files import database_of  # noqa: PLC0415 (only --data needs it)

    return database_of(options.dsn, options.data, wanted, lambda line: print(line, file=sys.stderr))  # noqa: T201


def _answer(options: argparse.Namespace) -> dict[str, Any]:
    questions = read_asked(options.questions)[: options.limit]
    with ExitStack() as held:
        dsn = held.enter_context(_database(options, {q.db_id for q in questions}))
        began = time.monotonic()
        environment = {}
        if options.expert:
            environment = held.enter_context(FileModel(questions, _answers(options))).environment
        settings = {"store": "memory", **_settings(options.set)}
        proxy = held.enter_context(ProxyProcess(dsn, settings, environment=environment))
        before = proxy.cpu_seconds()
        run = answer(
            questions,
            options.out,
            lambda: WireAsker(proxy.conninfo),
            jobs=options.jobs,
            refusals_null=options.refusals_null,
        )
        after = proxy.cpu_seconds()
        if not proxy.alive:
            raise BenchFailure("the proxy ended during the run; the same command continues")
    cpu = None
    if run.asked and before is not None and after is not None:
        cpu = round((after - before) * 1000 / run.asked, 1)
    return run.figures() | {"proxy_cpu_ms": cpu, "seconds": round(time.monotonic() - began, 1)}


def _settings(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    if wrong := [text for text, (_, equals, _) in zip(given, pairs, strict=True) if not equals]:
        raise BenchFailure(f"--set takes NAME=VALUE, not {wrong[0]!r}")
    return {name: value for name, _, value in pairs}


def _answers(options: argparse.Namespace) -> Mapping[str, str]:
    """What the expert that answers from a file says, by id of the question."""
    if options.expert in MADE:
        return made(options.expert, read_gold(options.questions))
    if options.pool:
        return recorded(options.pool, options.expert)
    return written(Path(options.expert))


def _score(options: argparse.Namespace) -> dict[str, Any]:
    golds = read_gold(options.questions)
    predicted = read_predicted(options.predictions)
    with _database(options, {gold.db_id for gold in golds}) as dsn:
        scored = score(golds, predicted, dsn, timeout=options.timeout, timed=options.ves)
    if options.details:
        lines = (json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in scored)
        options.details.write_text("".join(lines), encoding="utf-8")
    databases = {
        db_id: figures([s for s in scored if s.db_id == db_id]) for db_id in sorted({s.db_id for s in scored})
    }
    overall = figures(scored)
    _print_table(databases | {"all": overall})
    return overall | {"databases": databases}


def _same(options: argparse.Namespace) -> dict[str, Any]:
    return compare(options.before, options.after, common=options.common)


def _coverage(options: argparse.Namespace) -> dict[str, Any]:
    curves = {}
    for given in options.details:
        name, equals, path = given.partition("=")
        if not equals:
            raise BenchFailure(f"--details {given} names no curve: write NAME=FILE")
        lines = [line for line in read_lines(Path(path)) if options.part in {None, part_of(line["db_id"])}]
        curves[name] = curve((line["confidence"], line["best_right"]) for line in lines)
    if options.svg:
        options.svg.write_text(drawing(curves), encoding="utf-8")
    return {
        name: {"at_precision": at_precisions(points), "from_confidence": thresholds(points, _CONFIDENCES)}
        for name, points in curves.items()
    }


def _separate(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.separation import run as separate  # noqa: PLC0415 (it loads the SQL parser)
    from askwire.bench.separation.pairs import read_pool  # noqa: PLC0415

    if options.pool is None and not options.big:
        raise BenchFailure("nothing to separate; give --pool, --big, or both")
    questions = read_pool(options.pool, options.questions) if options.pool else []
    asked = separate.SeparationTask(questions, options.mutants, options.big, options.limit, options.sample)
    return asyncio.run(separate.run(options.dsn, asked, options.out))


def _meaning(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.separation import meaning  # noqa: PLC0415 (it loads the SQL parser)
    from askwire.bench.separation.pairs import read_pool  # noqa: PLC0415

    questions = read_pool(options.pool, options.questions)
    return asyncio.run(meaning.run(options.dsn, questions, options.pairs, options.out))


def _models(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.models import measure  # noqa: PLC0415

    return measure(options.dsn, options.questions, options.limit)


def _engine(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.engine import trace  # noqa: PLC0415 (it loads the planner)
    from askwire.bench.engine.cost import measure  # noqa: PLC0415

    if options.order:
        rules = trace.order()
        print("\n".join(rules))  # noqa: T201 (a command line speaks)
        return {"rules": len(rules)}
    if options.dsn is None:
        raise BenchFailure("bench engine needs --dsn, or --order")
    if options.trace is not None:
        question = Question(options.trace, options.evidence)
        lines, figures = trace.trace(options.dsn, options.schema, question)
        print("\n".join(lines))  # noqa: T201
        return dict(figures)
    if options.questions is None:
        raise BenchFailure("bench engine needs --questions, --trace or --order")
    questions = read_asked(options.questions)[: options.limit]
    if options.fired:
        lines, figures = trace.fired(options.dsn, questions)
        print("\n".join(lines))  # noqa: T201
        return dict(figures)
    return measure(options.dsn, questions)


def _live(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.live.command import live  # noqa: PLC0415 (it loads the planner)

    return live(options)


def _verify(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.verification import figures as told  # noqa: PLC0415
    from askwire.bench.verification import run as verify  # noqa: PLC0415 (it loads the SQL parser)

    wanted = [q for q in read_asked(options.questions) if options.part in {None, part_of(q.db_id)}]
    if options.repair:
        return _repair(options, {q.db_id for q in wanted})
    attempts = verify.read_attempts(options.pool) if options.pool else {}
    golds = read_gold(options.questions)
    tally = asyncio.run(verify.run(options.dsn, wanted[: options.limit], golds, attempts))
    if options.out:
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in tally.failures)
        options.out.write_text("".join(lines), encoding="utf-8")
    return told.figures(tally)


def _repair(options: argparse.Namespace, databases: set[str]) -> dict[str, Any]:
    from askwire.bench.verification import repair as verify_repair  # noqa: PLC0415 (it loads the SQL parser)

    if options.pool is None:
        raise BenchFailure("nothing to repair; give --pool")
    return asyncio.run(
        verify_repair.run(
            options.dsn,
            options.pool,
            options.questions,
            databases=sorted(databases),
            efficiency=True,
            scenarios=options.scenarios,
        )
    )


def _clients(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.clients import matrix  # noqa: PLC0415 (nothing else needs it)
    from askwire.bench.clients.tools import Tools  # noqa: PLC0415

    tools = Tools(options.tools)
    if options.install:
        tools.install(options.only)
    rows = matrix.run(options.dsn, tools, options.only, _print_client)
    if options.page:
        matrix.write(rows, options.page)
    return matrix.figures(rows)


def _foreign(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.foreign.compare import compare  # noqa: PLC0415

    options.suites.mkdir(parents=True, exist_ok=True)
    settings = {"compiled_relay": "off"} if options.python else {}
    found = compare(options.dsn, options.suites.resolve(), options.only, options.rounds, _say, settings)
    return {"suites": [one.figures for one in found]}


def _workload(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.engine.workload import measure  # noqa: PLC0415

    names = sorted({q.db_id for q in read_asked(options.questions)})
    wanted = [name for name in names if options.part in {None, part_of(name)}]
    return measure(options.dsn, options.questions, wanted, options.history)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def _print_client(row: Row) -> None:
    print(f"{row.client}: {row.skipped or ''}")  # noqa: T201
    for cell in row.cells.values():
        print(f"    {cell.name:12} {cell.outcome:8} {cell.note}")  # noqa: T201


def _select(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.selection import by_model  # noqa: PLC0415
    from askwire.bench.selection import cache as select_cache  # noqa: PLC0415
    from askwire.bench.selection import pool as select_pool  # noqa: PLC0415
    from askwire.bench.selection import run as select  # noqa: PLC0415
    from askwire.bench.selection import strategies as select_strategies  # noqa: PLC0415

    offered = select_strategies.STRATEGIES.get(options.strategy)
    if offered is None:
        known = ", ".join(select_strategies.STRATEGIES)
        raise BenchFailure(f"unknown strategy {options.strategy!r}; it is one of {known}")
    experts = [name for name in (options.experts or "").split(",") if name]
    pool = select_pool.read_pool(options.pool, experts)
    with select_cache.Cache(options.cache) as cache:
        if not options.judge:
            return asyncio.run(select.run(options.dsn, pool, offered, options.out, cache))

        async def judged() -> dict[str, Any]:
            async with by_model.configured(options.judge) as model:
                return await select.run(options.dsn, pool, offered, options.out, cache, model=model)

        return asyncio.run(judged())


def _security(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.security import run as security  # noqa: PLC0415 (it loads the SQL parser)

    if options.gold is None and options.corpus is None:
        raise BenchFailure("nothing to ask; give --gold, --corpus, or both")
    golds = read_gold(options.gold)[: options.limit] if options.gold else []
    return security.run(options.dsn, golds, options.corpus, disguises=options.disguises)


def _performance(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.performance import run as performance  # noqa: PLC0415 (nothing else needs it)

    parts = options.part or performance.WITHOUT_QUESTIONS
    return performance.measure(
        options.dsn,
        parts,
        options.rounds,
        options.seconds,
        asked=read_asked(options.questions)[: options.limit] if options.questions else (),
        delay_ms=options.delay,
        compiled=not options.python,
        tell=lambda sentence: print(sentence, file=sys.stderr),  # noqa: T201
    )


def _files(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.files.run import measure  # noqa: PLC0415 (nothing else needs it)

    return measure(
        options.dsn,
        options.rows,
        options.rounds,
        lambda sentence: print(sentence, file=sys.stderr),  # noqa: T201
    )


def _faults(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.faults import run as faults  # noqa: PLC0415 (nothing else needs it)

    print("| fault | what the client saw | |\n|---|---|---|")  # noqa: T201
    return faults.measure(options.dsn, lambda row: print(row, flush=True))  # noqa: T201


def _soak(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.faults import soak  # noqa: PLC0415 (nothing else needs it)

    return soak.measure(
        options.dsn,
        options.clients,
        options.seconds,
        options.faults,
        lambda sentence: print(sentence, file=sys.stderr, flush=True),  # noqa: T201
    )


def _scale(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.performance import rows, scale, tables  # noqa: PLC0415 (nothing else needs it)

    def tell(row: dict[str, Any]) -> None:
        print(f"| {' | '.join(f'{value:,}' for value in row.values())} |", flush=True)  # noqa: T201

    if options.dsn and options.rows:
        print(  # noqa: T201
            "| rows | with an index: named, ms | quoted, ms | a code, ms | without: named, ms | quoted, ms "
            "| a code, ms | what has none, ms | right, % |\n|---|---|---|---|---|---|---|---|---|"
        )
        return {"rows": rows.measure(options.dsn, options.rows, tell)}
    if options.dsn:
        print(  # noqa: T201
            "| tables | first ASK, ms | its processor time, ms | first of a session, ms | next ASK, ms "
            "| its processor time, ms | MB |\n|---|---|---|---|---|---|---|"
        )
        return {"tables": tables.measure(options.dsn, options.tables, tell)}
    print("| sessions | log-in, µs | bytes each | a query, µs | idle, % |\n|---|---|---|---|---|")  # noqa: T201
    return {"sessions": scale.measure(options.sessions, tell)}


def _hosts(options: argparse.Namespace) -> dict[str, Any]:
    from askwire.bench.faults import hosts  # noqa: PLC0415 (nothing else needs it)

    return hosts.measure(
        options.clients,
        options.seconds,
        options.every,
        lambda sentence: print(sentence, file=sys.stderr, flush=True),  # noqa: T201
    )


def _print_table(rows: dict[str, dict[str, Any]]) -> None:
    names = list(next(iter(rows.values())))
    width = max(map(len, rows))
    print(" " * width, *(f"{name:>10}" for name in names))  # noqa: T201
    for name, values in rows.items():
        cells = ("-" if values[n] is None else values[n] for n in names)
        print(f"{name:{width}}", *(f"{cell:>10}" for cell in cells))  # noqa: T201
