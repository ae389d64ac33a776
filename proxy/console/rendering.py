"""Pages from templates, made beside the event loop.

Owns: the templates' environment, and that pages are made one at a time in a thread of their own: however many
are asked for, the proxy goes on, and what waits too long is turned away.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from askwire.core.version import VERSION
from askwire.proxy.console import phrases, sql_text
from askwire.verifier.in_words import check_in_words

T = TypeVar("T")

MAX_WAITING_PAGES: Final = 16
_MAX_REST_SECONDS: Final = 0.1
_FOLDER: Final = files("askwire.proxy.console")

STATIC: Final[Mapping[str, tuple[str, bytes]]] = {
    name: (content_type, (_FOLDER / "static" / name).read_bytes())
    for name, content_type in (
        ("console.css", "text/css"),
        ("console.js", "text/javascript"),
        ("ask.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    )
}
"""What is served as it is: by name its type and content."""

STATIC_DIGEST: Final = hashlib.sha256(b"".join(content for _, content in STATIC.values())).hexdigest()[:12]
"""Part of the address of what is served as it is, so that browsers may keep it."""


class Busy(Exception):
    """More pages are asked for than can be made."""


class PageRenderer:
    """Makes pages; `close` when no one asks for any."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="askwire-console")
        self._waiting = 0
        self._took = 0.0
        self._environment = _environment()

    async def page(self, template: str, values: Callable[[], Mapping[str, object]]) -> str:
        """A page; `values` are made in the thread as well. Raises Busy."""
        return await self.beside(lambda: self.text(template, values()))

    def text(self, template: str, values: Mapping[str, object]) -> str:
        """A template filled in here and now."""
        return self._environment.get_template(template).render(values)

    @property
    def busy(self) -> bool:
        """Whether nothing more can be made at the moment."""
        return self._waiting >= MAX_WAITING_PAGES

    async def beside(self, make: Callable[[], T]) -> T:
        """Something that takes a while, made in the thread. Raises Busy."""
        if self.busy:
            raise Busy
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._restfully, make)
        finally:
            self._waiting -= 1

    def _restfully(self, make: Callable[[], T]) -> T:
        """Make it, and rest before the next as long as it took: the interpreter is the proxy's, too."""
        if self._waiting > 1:
            time.sleep(min(self._took, _MAX_REST_SECONDS))
        began = time.thread_time()
        try:
            return make()
        finally:
            self._took = time.thread_time() - began

    def close(self) -> None:
        """Let go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@cache
def _environment() -> Environment:
    """The templates, each compiled once in a process; threads may share them."""
    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(version=VERSION, edition=STATIC_DIGEST, outcome=phrases.outcome)
    environment.filters.update(
        milliseconds=phrases.milliseconds,
        moment=phrases.moment,
        iso=phrases.iso,
        counted=phrases.count,
        share=phrases.share,
        times=phrases.times,
        rule=check_in_words,
        sql=sql_text.shown,
        coloured=sql_text.coloured,
        prose=_prose,
        besides=_besides,
    )
    return environment


def _prose(text: str) -> Markup:
    """Text in which `names` stand between backticks."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def _besides(lines: Sequence[str], sql: str) -> list[str]:
    """The lines that do not repeat a statement which stands elsewhere."""
    flat = " ".join(sql.split())
    return [line for line in lines if line.strip() and " ".join(line.split()) != flat]


def _source(name: str) -> str:
    return (_FOLDER / "templates" / name).read_text(encoding="utf-8")
