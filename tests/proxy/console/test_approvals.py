"""What operators approve in the console: what waits, what an approval does, and that it can be withdrawn."""

from __future__ import annotations

import re
from dataclasses import replace

from data.console_records import FIRST, KEY, PLACE, SECOND, asked, trace
from servers.running_console import ConsoleServer

from askwire.core.records import Demonstration, ExpertWeight, Feedback, Pin


async def read(console: ConsoleServer, page: str) -> str:
    """What a reader sees of a page."""
    _, text = await console.get(page)
    return " ".join(re.sub(r"<[^>]*>", " ", text.partition("<main")[2]).split())


async def said(console: ConsoleServer, what: str) -> int:
    form = {"said": what, "form_key": await console.form_key()}
    return (await console.post(f"/asks/{KEY}/judge", form)).status


async def test_sql_that_an_asker_gave_waits_is_approved_and_withdrawn(console: ConsoleServer) -> None:
    store = console.store
    given = Feedback(
        KEY,
        1.0,
        "s",
        "ada",
        "ada",
        *PLACE,
        KEY,
        "names of dogs",
        "wrong",
        FIRST,
        SECOND,
        '{"embedded": false}',
    )
    store.put(asked(), trace(), given, replace(given, key="0" * 16, undone=True))
    store.put(replace(given, key="1" * 16, question="another", right_sql=""))
    for key, role in (("p1", "ada"), ("p2", "bob")):
        store.put(Pin(key, 1.0, 2.0, "", role, role, *PLACE, "names of dogs", FIRST))
    waiting = await read(console, "/approvals")
    assert waiting.count("Approve for all roles") == 1
    assert "by ada on shop" in waiting
    assert "It is checked when the question is asked next" in waiting
    assert "Approve for all roles" in await read(console, f"/asks/{KEY}")
    assert await said(console, "approved") == 303
    (demonstration,) = await store.find(Demonstration)
    assert (demonstration.role, demonstration.sql, demonstration.approved_by) == ("", SECOND, "(console)")
    assert not await store.find(Pin), "the next role that asks gets what was approved"
    assert [w.wrong for w in await store.find(ExpertWeight, {"role": "", "acting_as": ""})] == [1]
    assert "Nothing waits" in await read(console, "/approvals")
    page = await read(console, f"/asks/{KEY}")
    assert "approved by (console)" in page
    # no session of a role is at hand to try it in
    assert "It was not checked here. Each time the question is asked it passes the gate" in page
    assert await said(console, "unapproved") == 303
    assert not await store.find(Demonstration)
    assert "names of dogs" in await read(console, "/approvals")
    (feedback,) = await store.find(Feedback, {"key": KEY})
    assert feedback == given
