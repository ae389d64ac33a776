"""`/metrics`: what monitoring gets, and in which form."""

from __future__ import annotations

from typing import Any

from aiohttp import ClientSession, web
from doubles.living_sessions import LiveSession
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from askwire.core.settings.table import load
from askwire.proxy.console.metrics import metrics
from askwire.proxy.operations.figures import Figures
from askwire.proxy.operations.server_status import RunningServer


async def test_it_is_openmetrics_of_the_moment() -> None:
    figures = Figures(bytes_to_clients=100)
    sessions: Any = [LiveSession("relay")]
    application = web.Application()
    status = RunningServer(load({}), figures, None, (), lambda: sessions, list)
    application.add_routes([web.get("/metrics", metrics(status))])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        async with ClientSession() as client:
            figures.sessions_opened = 5
            sessions.append(LiveSession("relay"))
            async with client.get(f"http://127.0.0.1:{runner.addresses[0][1]}/metrics") as answer:
                assert answer.headers["Content-Type"].startswith(
                    "application/openmetrics-text; version=1.0.0"
                )
                families = {f.name: f for f in text_string_to_metric_families(await answer.text())}
    finally:
        await runner.cleanup()
    assert families["askwire_sessions_opened"].samples[0].value == 5
    phases = {s.labels["phase"]: s.value for s in families["askwire_sessions"].samples}
    none = dict.fromkeys(("startup", "login", "asking", "canceling", "admin"), 0)
    assert phases == {"relay": 2, **none}, "also of phases without a session"
    relayed = {s.labels["direction"]: s.value for s in families["askwire_relayed_bytes"].samples}
    assert relayed == {"from_client": 10, "to_client": 114}, "of sessions that have ended, and that live"
