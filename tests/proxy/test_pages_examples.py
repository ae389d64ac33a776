"""The SQL of pages runs on the sample shop, through the proxy.

It is a block that begins with `-- run: shop`, or a session of psql with the prompt `shop=>`.
"""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
import pytest_asyncio
from house.checkout import ROOT

from askwire.core.settings.table import load
from askwire.proxy.cli import main
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.demo.sample import write_sql
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server

if TYPE_CHECKING:
    from servers.databases import Database

BLOCK: Final = re.compile(r"^```sql\n-- run: shop\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT: Final = re.compile(r"^    shop[=-]> (.*)$", re.MULTILINE)
EXAMPLES: Final = {
    page.name: block
    for page in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
    if (block := "\n".join([*BLOCK.findall(text := page.read_text("utf-8")), *PROMPT.findall(text)]))
}
README_LINES: Final = 100
"""At most so many lines of 100 columns."""


def statements(block: str) -> list[str]:
    """The statements of a block, without its comments."""
    text = re.sub(r"--.*", "", block)
    return [one.strip() for one in text.split(";") if one.strip()]


@pytest.fixture(scope="module")
def shop(postgres_server: EmbeddedPostgres, make_database: Callable[[], Database]) -> Database:
    database = make_database()
    script = io.StringIO()
    write_sql(script)
    subprocess.run(
        [postgres_server.binaries.program("psql"), "--no-psqlrc", "--quiet", "--dbname", database.dsn()],
        input=script.getvalue().encode(),
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    return database


@pytest_asyncio.fixture
async def port(shop: Database) -> AsyncIterator[int]:
    """Where askwire listens in front of the shop, with the demo's settings."""
    given = {
        "backend": f"host=127.0.0.1 port={shop.port}",
        "listen": "127.0.0.1:0",
        "answer_confidence": "0.4",
    }
    settings = load(given)
    server = Server(settings, AskResolver(settings))
    _, port = await server.start()
    try:
        yield port
    finally:
        await server.stop()


def test_the_readme_is_two_screens() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert sum(max(1, -(-len(line) // 100)) for line in lines) <= README_LINES


def test_the_pages_have_examples() -> None:
    assert {"start.md", "asking.md", "trust.md"} <= EXAMPLES.keys()


@pytest.mark.slow
async def test_the_lock_on_the_page_has_the_sql_of_the_answer(port: int, shop: Database) -> None:
    page = (ROOT / "docs" / "lock.md").read_text("utf-8")
    found = re.search(r'question = "(.*?)".*?sql = """\n(.*?)"""', page, re.DOTALL)
    assert found
    connection = await psycopg.AsyncConnection.connect(
        f"host=127.0.0.1 port={port} dbname={shop.name} user=postgres", autocommit=True
    )
    async with connection:
        cursor = await connection.execute(f"ASK (SQL) '{found[1]}'".encode())
        rows = await cursor.fetchall()
    assert found[2].split() in [str(value).split() for row in rows for value in row]


@pytest.mark.slow
def test_the_page_shows_what_separate_prints(shop: Database, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "separate.md").read_text("utf-8")
    queries = re.findall(r'^        "(SELECT [^"]*)"', page, re.MULTILINE)[:2]
    assert main(["separate", "--dsn", shop.dsn(), *queries]) == 0
    told = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "\n".join(told).strip() in page[page.index("    The two queries") :].replace("\n    ", "\n")


@pytest.mark.slow
@pytest.mark.parametrize("page", EXAMPLES)
async def test_each_statement_of_the_page_runs(page: str, port: int, shop: Database) -> None:
    connection = await psycopg.AsyncConnection.connect(
        f"host=127.0.0.1 port={port} dbname={shop.name} user=postgres", autocommit=True
    )
    async with connection:
        for statement in statements(EXAMPLES[page]):
            cursor = await connection.execute(statement.encode())
            if cursor.description is not None:
                assert await cursor.fetchall(), statement
