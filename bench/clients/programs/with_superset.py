"""Apache Superset without its web server: a dataset on ask('…'), its columns, and the queries of charts.

Runs inside Superset's own application: datasets, SQL parsing and chart queries are its code, as a browser
would start them. Its metadata database is a SQLite file in a folder of this run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from itertools import count as count_from
from pathlib import Path

CONFIGURATION = """
SECRET_KEY = "only for this run, never served"
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.db"
PREVENT_UNSAFE_DB_CONNECTIONS = False
"""

if "SUPERSET_CONFIG_PATH" not in os.environ:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "superset_config.py"
        place.write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
        settings = {**os.environ, "SUPERSET_CONFIG_PATH": str(place), "SUPERSET_HOME": folder}
        settings["FLASK_APP"] = "superset"
        superset = str(Path(sys.executable).parent / "superset")
        subprocess.run([superset, "db", "upgrade"], env=settings, check=True, capture_output=True)
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=settings, check=False).returncode)

from report import CALLED, COLUMNS, DATABASE, HOST, PORT, QUESTION, ROWS, USER, rows_are_right, run, same
from superset.app import create_app

application = create_app()
application.app_context().push()
application.test_request_context().push()

from flask import g
from superset import db, security_manager
from superset.connectors.sqla.models import SqlaTable
from superset.models.core import Database
from superset.sql.parse import SQLScript, SQLStatement

security_manager.sync_role_definitions()
security_manager.add_user("run", "a", "run", "run@localhost", security_manager.find_role("Admin"), "run")
g.user = security_manager.find_user("run")
database = Database(
    database_name="askwire",
    sqlalchemy_uri=f"postgresql+psycopg2://{USER}@{HOST}:{PORT}/{DATABASE}",
    allow_run_async=False,
    expose_in_sqllab=True,
)
db.session.add(database)
db.session.commit()
numbers = count_from(1)


def dataset(text: str) -> SqlaTable:
    name = f"dataset {next(numbers)}"
    table = SqlaTable(table_name=name, sql=text, database=database, schema="public")
    db.session.add(table)
    db.session.commit()
    table.fetch_metadata()
    db.session.commit()
    return table


def plain() -> str:
    statement = SQLScript(CALLED, "postgresql").statements[0]
    found = database.get_df(statement.format(), schema="public")
    rows_are_right(found.itertuples(index=False))
    return "SQL Lab's own text of the statement"


def describe() -> str:
    same(sorted(column.column_name for column in dataset(CALLED).columns), sorted(COLUMNS))
    return "the columns of a dataset"


def limit_0() -> str:
    statement = SQLStatement(CALLED, "postgresql")
    statement.set_limit_value(1001)
    rows_are_right(database.get_df(statement.format(), schema="public").itertuples(index=False))
    return "SQL Lab puts LIMIT 1001 behind"


def query(table: SqlaTable, **more: object) -> list[tuple[object, ...]]:
    asked: dict[str, object] = {
        "columns": [],
        "metrics": [],
        "filter": [],
        "extras": {},
        "granularity": None,
        "from_dttm": None,
        "to_dttm": None,
        "is_timeseries": False,
        "groupby": None,
        "row_limit": 10_000,
        "orderby": [],
    }
    found = table.query(asked | more)
    if found.error_message:
        raise RuntimeError(found.error_message)
    return list(found.df.itertuples(index=False))


def count() -> str:
    metric = {"expressionType": "SQL", "sqlExpression": "COUNT(*)", "label": "n"}
    same([tuple(map(int, row)) for row in query(dataset(CALLED), metrics=[metric])], [(len(ROWS),)])
    return "a big-number chart"


def parameters() -> str:
    table = dataset(f"{CALLED} -- {QUESTION}")
    highest = {
        "expressionType": "SIMPLE",
        "column": {"column_name": "price"},
        "aggregate": "MAX",
        "label": "highest",
    }
    rows_are_right(query(table, columns=["title"], metrics=[highest]))
    kept = query(
        table,
        columns=["title"],
        metrics=[highest],
        filter=[{"col": "title", "op": "==", "val": "Volume 001"}],
    )
    same([row[0] for row in kept], ["Volume 001"])
    return "a table chart with a metric and a filter"


run({"plain": plain, "describe": describe, "limit 0": limit_0, "count": count, "parameters": parameters})
sys.stdout.flush()
# its own threads would keep the process
os._exit(0)
