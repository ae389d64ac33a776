"""What the pages show, of what is there and of what is not."""

from __future__ import annotations

import asyncio
import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from data.console_records import FIRST, KEY, PLACE, SECOND, asked, candidate, compared, trace
from servers.running_console import ConsoleServer, StartConsole, plain

from askwire.core.records import (
    AskedTrace,
    CalibrationOutcome,
    Demonstration,
    Feedback,
    HistoryEntry,
    Pin,
    Term,
)
from askwire.store import MemoryStore, SqliteStore

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
LARGEST = 100_000


class Tags(HTMLParser):
    """The tags of a page as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.handlers: list[str] = []
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/", "Nothing has been asked yet"),
        ("/history", "The history is empty"),
        ("/pins", "There are no pins yet"),
        ("/glossary", "There are no words yet"),
        ("/approvals", "Nothing waits for approval"),
        ("/experts", "No feedback has been given yet"),
        ("/history?q=x", "Nothing in the history fits"),
        ("/history?before=5.0~x", "There is nothing older"),
    ],
)
async def test_an_empty_page_says_what_to_do(console: ConsoleServer, path: str, says: str) -> None:
    status, text = await console.get(path)
    assert status == 200
    assert says in plain(text)


async def test_the_page_of_an_ask_shows_how_it_came_about(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), trace(steps=[compared()]))
    _, text = await console.get(f"/asks/{KEY}")
    said = plain(text)
    assert '<mark class="k-value">dogs<sup>1</sup></mark>' in text
    assert "the best supported of 2 readings" in said.lower()
    assert "'dog' value" in said
    assert "names not used" in said
    assert "80 % 1 vote" in said
    assert "does what “names” asks" in said
    assert "the answer has rows" in said
    assert "Seq Scan on pets" in said
    assert "Nothing. No model was asked." in said
    assert "42703 no such column" in said
    assert "qwen · confidence 80 %" in said
    assert "f" * 40 not in said, "what tells people nothing is left out"
    assert '<b class="kw">SELECT</b>' in text


async def test_cells_that_differ_are_marked(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), trace(steps=[compared()]))
    _, text = await console.get(f"/asks/{KEY}")
    assert len(re.findall(r'<td class="differs">', text)) == 2
    assert "Rex" in text


async def test_how_to_find_rows_is_told_where_none_were_looked_for(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(), trace())
    _, text = await console.get(f"/asks/{KEY}")
    assert "Not searched for" in plain(text)


async def test_rows_that_were_not_kept_are_told_of_in_numbers(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(), trace(steps=[compared(masked=True)]))
    _, text = await console.get(f"/asks/{KEY}")
    assert "Their values were not kept" in plain(text)
    assert "1 row counted by reading 1" in plain(text)
    assert "Rex" not in text


async def test_what_was_sent_to_models(console: ConsoleServer, store: MemoryStore) -> None:
    left = {
        "stage": "egress",
        "name": "left",
        "at_ms": 20.0,
        "expert": "qwen",
        "endpoint": "127.0.0.1:8081",
        "policy": "schema",
        "kinds": {"question": 1, "name": 12},
        "withheld": {"value": 3},
        "bytes": 2048,
        "sha256": "0" * 64,
    }
    store.put(asked(), trace(steps=[left]))
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "qwen at 127.0.0.1:8081 1 question, 12 name · 2,048 bytes · egress schema" in said
    assert "withheld: 3 value" in said


async def test_a_private_ask_says_that_its_steps_are_not_kept(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(private=True, sql="SELECT 1", reading=""))
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "Row-level security decides" in said
    assert "Only the session that asked can judge this" in said
    assert "Use this one" not in said


async def test_a_refused_ask_shows_why_and_what_was_tried(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(
        asked(outcome="NL003", message="no reading is sure enough", sql="", reading=""),
        trace(sql=None, clusters=[], readings=[]),
    )
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "NL003 confidence too low" in said
    assert "no reading is sure enough" in said
    assert "Readings 2" in said, "what was ranked is shown though nothing was chosen"
    assert "There is no answer to judge" in said


async def test_an_unknown_ask_is_not_found(console: ConsoleServer) -> None:
    status, text = await console.get(f"/asks/{KEY}")
    assert status == 404
    assert "does not hold this ASK" in plain(text)
    for path in ("/asks/x", f"/asks/{KEY}0", f"/asks/{KEY}/..%2f..%2fsettings", "/asks/"):
        assert (await console.get(path))[0] == 404


async def test_texts_of_strangers_stay_texts(console: ConsoleServer, store: MemoryStore) -> None:
    """Questions, names of tables, values, messages and names of roles are shown as they are written."""
    bad = {"kind": "top_k", "words": [MARKUP]}
    row = compared()
    row["instance"]["tables"][0] |= {"name": MARKUP, "rows": [{"values": {MARKUP: MARKUP}, "counted_by": []}]}
    row["instance"]["answers"][0] = {"columns": [MARKUP], "rows": [[MARKUP]]}
    sql = f"SELECT '{MARKUP.replace(chr(39), chr(39) * 2)}' AS \"{MARKUP.replace(chr(34), chr(34) * 2)}\""
    steps = [
        row,
        {"stage": "verifier", "name": "demanded", "at_ms": 1, "constraints": [bad]},
        {"stage": MARKUP, "name": MARKUP, "at_ms": 2, MARKUP: MARKUP, "sql": MARKUP},
        {"stage": "planner", "name": "probed", "at_ms": 3, "sql": MARKUP, "expert": MARKUP},
    ]
    links = [{"start": 0, "end": 5, "words": MARKUP, "kind": MARKUP, "target": MARKUP}]
    store.put(
        asked(
            question=MARKUP,
            role=MARKUP,
            database=MARKUP,
            message=MARKUP,
            reading=MARKUP,
            reason=MARKUP,
            outcome=MARKUP,
            options=json.dumps({"evidence": MARKUP}),
            sql=sql,
            sent_to_models=MARKUP,
        ),
        trace(
            steps=steps,
            alignments=links,
            sql=sql,
            clusters=[[sql], [SECOND]],
            uncovered=[MARKUP],
            assumptions=[MARKUP],
            join_path=[MARKUP],
            candidates=[candidate(sql, MARKUP, reading=MARKUP, message=MARKUP), candidate(SECOND)],
            readings=[{"sql": sql, "reading": MARKUP, "shared": True}],
        ),
        Pin("p", 1.0, 2.0, "", MARKUP, MARKUP, *PLACE, MARKUP, MARKUP, MARKUP, origin=MARKUP, day=MARKUP),
        Term("t", 1.0, MARKUP, *PLACE, MARKUP, MARKUP),
        Feedback(
            KEY,
            1.0,
            "s",
            MARKUP,
            MARKUP,
            *PLACE,
            KEY,
            MARKUP,
            "wrong",
            MARKUP,
            MARKUP,
            json.dumps({MARKUP: True, "b": False}),
        ),
    )
    for path in (
        "/",
        f"/asks/{KEY}",
        "/history",
        "/pins",
        "/glossary",
        "/approvals",
        "/experts",
        f"/history?q={MARKUP}",
    ):
        status, text = await console.get(path)
        assert status == 200, path
        tags = Tags(text)
        assert tags.scripts == 1
        assert tags.handlers == []
        assert "img" not in tags.names
        assert re.search(r"&lt;script&gt;alert", text), path


async def test_classes_of_links_and_stages_are_ours(console: ConsoleServer, store: MemoryStore) -> None:
    links = [{"start": 0, "end": 5, "words": "names", "kind": 'x" onload="y', "target": "t"}]
    store.put(asked(), trace(alignments=links))
    _, text = await console.get(f"/asks/{KEY}")
    assert 'onload="y' not in text


async def test_the_list_shows_who_asked_what_and_how_it_ended(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(), trace(), asked("00000000000000a2", outcome="NL001", pinned=True, elapsed_ms=2345.0))
    _, text = await console.get("/")
    said = plain(text)
    assert "names of dogs ada on shop" in said
    assert "NL001 ambiguous" in said
    assert "2.3 s" in said
    assert 'aria-label="Stages: session 10 ms, verifier 51 ms, selector 29 ms"' in text


async def test_history_tells_what_was_said(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), asked("00000000000000a2", pinned=True))
    place = ("s", "ada", "ada", "h:1", "shop", KEY, "names of dogs")
    store.put(Feedback(KEY, 2.0, *place, "wrong", "SELECT 1"))
    _, text = await console.get("/history")
    assert sorted(re.findall(r'<span class="note">([^<]*)</span>', text)) == ["called wrong", "pinned"]
    store.put(Feedback(KEY, 3.0, *place, "wrong", "SELECT 1", right_sql="SELECT 2"))
    _, text = await console.get("/history")
    assert "corrected" in plain(text)
    store.put(Feedback(KEY, 4.0, *place, "wrong", "SELECT 1", undone=True))
    _, text = await console.get("/history")
    assert "called wrong" not in plain(text)


async def test_history_is_searched_and_paged(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(*(asked(f"{n:016x}", at=1000.0 + n, question=f"question {n}") for n in range(95)))
    store.put(asked("f" * 16, question="about orders", outcome="NL001"))
    seen: list[str] = []
    path = "/history?q=question"
    while path:
        _, text = await console.get(path)
        seen += re.findall(r"question (\d+)</a>", text)
        following = re.search(r'<a href="(/history\?[^"]*)" rel="next"', text)
        path = following[1].replace("&amp;", "&") if following else ""
    assert seen == [str(n) for n in range(94, -1, -1)]
    _, text = await console.get("/history?outcome=NL001")
    assert re.findall(r'id="ask-(\w+)"', text) == ["f" * 16]
    assert '<option value="NL001" selected>' in text


@pytest.mark.parametrize(
    "query",
    [
        "?q=" + "x" * 5000,
        "?q=" + "%20x" * 2000,
        "?q=%00%ff%ED%A0%80",
        "?q=%25%25%25%25_%5C",
        "?before=nan~x",
        "?before=1e999~x",
        "?before=~",
        "?before=x",
        "?before=1.0~" + "y" * 3000,
        "?outcome=%27%3B--",
        "?outcome=zzz&q=%F0%9F%98%80",
    ],
)
async def test_any_search_is_answered(tmp_path: Path, start_console: StartConsole, query: str) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    store.put(asked())
    async with start_console(store) as console:
        await console.log_in()
        for page in ("/history", "/pins", "/glossary"):
            status, _ = await console.get(page + query)
            assert status in (200, 400)
        assert (await console.get("/history"))[0] == 200
    await store.close()


async def test_settings_show_where_values_come_from_and_no_secret(start_console: StartConsole) -> None:
    given: dict[str, Any] = {"backend": "postgresql://u:hunter2@db.example:5433/x", "timeout": "12s"}
    async with start_console(**given) as console:
        await console.log_in()
        _, text = await console.get("/settings")
    said = plain(text)
    assert "timeout 12s from the test a session may tighten it default 30s" in said
    assert "history_rows off default a session may tighten it" in said
    assert "db.example:5433" in said
    assert "ask_tokens 100000 default" in said, "a number of tokens is no secret"
    assert "hunter2" not in text
    assert console.door.token not in text


async def test_pins_and_terms_are_listed(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(
        Pin(
            "p",
            1.0,
            2.0,
            "",
            "ada",
            "bob",
            *PLACE,
            "how many?",
            FIRST,
            "a reading",
            origin="right",
            day="2026-11-21",
        ),
        Term("t", 1.0, "ada", *PLACE, "turnover", "sum of amount"),
    )
    said = plain((await console.get("/pins"))[1])
    assert "how many? ada as bob on shop" in said
    assert "confirmed" in said
    assert "for 2026-11-21 only" in said
    assert "turnover sum of amount ada shop" in plain((await console.get("/glossary?q=TURN"))[1])


async def test_experts_weights_are_drawn_for_whom_they_count(
    console: ConsoleServer, store: MemoryStore
) -> None:
    def said(n: int, experts: dict[str, bool], role: str = "ada", approved_by: str = "") -> Feedback:
        return Feedback(
            f"f{n}",
            1000.0 + n,
            "s",
            role,
            role,
            *PLACE,
            f"a{n}",
            f"question {n}",
            "right",
            FIRST,
            experts=json.dumps(experts),
            approved_by=approved_by,
        )

    store.put(said(1, {"one": True, "two": False}), said(2, {"one": False}, "boss", "boss"))
    _, text = await console.get("/experts")
    text_said = plain(text)
    assert "shop for all roles" in text_said
    assert "shop for ada" in text_said
    assert "two 0.900 0 1" in text_said
    assert "one 1.000 1 0" in text_said
    assert text.count('<path class="line') == 3


# -- feedback


async def judge(console: ConsoleServer, said: str, number: int = 1) -> int:
    form = {"said": said, "number": str(number), "form_key": await console.form_key()}
    return (await console.post(f"/asks/{KEY}/judge", form)).status


async def test_right_is_kept_for_the_role_that_asked(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), trace())
    assert await judge(console, "right") == 303
    (feedback,) = await store.find(Feedback)
    assert (feedback.said, feedback.role, feedback.acting_as, feedback.sql) == (
        "right",
        "(console)",
        "ada",
        FIRST,
    )
    assert not feedback.approved_by, "it serves no one else"
    assert json.loads(feedback.experts) == {"embedded": True, "qwen": False}
    (demonstration,) = await store.find(Demonstration)
    assert (demonstration.role, demonstration.sql, demonstration.approved_by) == ("ada", FIRST, "")
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "Feedback: right by (console)" in said


async def test_another_reading_can_be_chosen_and_taken_back(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(), trace(), Pin("p", 1.0, 2.0, "", "ada", "ada", *PLACE, "names of dogs", FIRST))
    assert await judge(console, "chosen", 2) == 303
    (demonstration,) = await store.find(Demonstration)
    assert demonstration.sql == SECOND
    assert not await store.find(Pin), "the next ASK looks for what was confirmed"
    (outcome,) = await store.find(CalibrationOutcome)
    assert not outcome.right
    assert await judge(console, "nothing") == 303
    assert not await store.find(Demonstration)
    assert not await store.find(CalibrationOutcome)
    (feedback,) = await store.find(Feedback)
    assert feedback.undone


async def test_wrong_ends_the_pin_of_that_role_only(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), trace())
    for key, role in (("p1", "ada"), ("p2", "bob")):
        store.put(Pin(key, 1.0, 2.0, "", role, role, *PLACE, "names of dogs", FIRST))
    assert await judge(console, "wrong") == 303
    assert [pin.key for pin in await store.find(Pin)] == ["p2"]
    assert not await store.find(Demonstration)


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        (asked(private=True), trace()),
        (asked(), trace(readings=[{"sql": FIRST, "reading": "", "shared": False}])),
        (asked(), trace(readings=[])),
        (asked(), None),
    ],
)
async def test_what_may_hold_a_tenants_data_is_judged_in_its_session_only(
    console: ConsoleServer, store: MemoryStore, row: HistoryEntry, kept: AskedTrace | None
) -> None:
    store.put(row, *([kept] if kept else []))
    for said in ("right", "wrong", "chosen"):
        assert await judge(console, said) == 409
    assert not await store.find(Feedback)
    assert not await store.find(Demonstration)


async def test_nonsense_is_no_feedback(console: ConsoleServer, store: MemoryStore) -> None:
    store.put(asked(), trace())
    assert await judge(console, "maybe") == 400
    assert await judge(console, "right", 2) == 409, "only the answer that was given"
    assert await judge(console, "chosen", 9) == 409
    form = {"said": "chosen", "number": "9" * 5000, "form_key": await console.form_key()}
    assert (await console.post(f"/asks/{KEY}/judge", form)).status == 400
    assert (await console.post("/asks/ffffffffffffffff/judge", form | {"said": "nothing"})).status == 409
    assert not await store.find(Feedback)


# -- sizes


async def test_pages_stay_small_however_much_there_is(console: ConsoleServer, store: MemoryStore) -> None:
    long = "SELECT " + ", ".join(f"column_number_{n} + 1" for n in range(400)) + " FROM pets"
    many = [candidate(f"{long} OFFSET {n}", reading="a reading " * 40) for n in range(40)]
    steps = [
        {"stage": "verifier", "name": "tried", "at_ms": n, "sql": long, "message": "x" * 2000}
        for n in range(900)
    ]
    probes = [{"stage": "planner", "name": "probed", "at_ms": n, "sql": long} for n in range(100)]
    store.put(
        asked(question="why " * 1000, sql=long),
        trace(steps=steps + probes, candidates=many, clusters=[[c["sql"]] for c in many]),
    )
    store.put(*(asked(f"{n:016x}", question="why " * 1000, sql=long) for n in range(300)))
    store.put(*(Pin(f"p{n}", 1.0, 2.0, "", "a", "a", *PLACE, "why " * 1000, long) for n in range(300)))
    store.put(*(Term(f"t{n}", 1.0, "a", *PLACE, "why " * 200, "because " * 400) for n in range(300)))
    for path in ("/", f"/asks/{KEY}", "/history", "/pins", "/glossary", "/settings"):
        status, text = await console.get(path)
        assert status == 200
        assert len(text.encode()) <= LARGEST, path


async def test_a_page_that_is_made_does_not_hold_up_the_loop(
    console: ConsoleServer, store: MemoryStore
) -> None:
    long = "SELECT " + ", ".join(f"c{n}" for n in range(900)) + " FROM pets"
    many = [candidate(f"{long} LIMIT {n}") for n in range(16)]
    store.put(asked(sql=long), trace(candidates=many, clusters=[[c["sql"]] for c in many]))
    worst = 0.0
    task = asyncio.create_task(console.get(f"/asks/{KEY}"))
    while not task.done():
        began = time.perf_counter()
        await asyncio.sleep(0)
        worst = max(worst, time.perf_counter() - began)
    assert (await task)[0] == 200
    assert worst < 0.5, "a thread makes the page; the loop goes on"
