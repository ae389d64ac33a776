"""What the page of an ASK tells of the evidence behind it, and of an answer that is pinned."""

from __future__ import annotations

import json
from dataclasses import replace

from data.console_records import FIRST, KEY, SECOND, asked, candidate, trace
from servers.running_console import ConsoleServer, plain

from askwire.store import MemoryStore


async def test_support_is_taken_apart_by_kinds_of_evidence(
    console: ConsoleServer, store: MemoryStore
) -> None:
    store.put(asked(), trace())
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    # e to the difference of 2, 0.1 and 0.5; what is 0.01 apart is silent
    assert "Evidence 1 2 votes 7.4× 1× checks 1× 1.1× duels 1× 1.6× By posterior." in said


async def test_a_reading_that_was_not_weighed_has_no_evidence(
    console: ConsoleServer, store: MemoryStore
) -> None:
    out = "SELECT 1"
    kept = trace(clusters=[[FIRST], [SECOND], [out]])
    report = json.loads(kept.report)
    report["candidates"].append(candidate(out))
    steps = json.loads(kept.document)
    for step in steps:
        if step["name"] == "ranked":
            step["clusters"] = [
                {"support": 0.8, "terms": {"confidence": -0.1}, "sql": [FIRST]},
                {"support": 0.1, "terms": {"confidence": -1.1}, "sql": [SECOND]},
                {"support": 0.0, "terms": {}, "sql": [out]},
            ]
    store.put(asked(), replace(kept, document=json.dumps(steps), report=json.dumps(report)))
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "Evidence 1 2 3 confidence 2.7× 1× · not weighed By posterior." in said


async def test_checks_and_mends_are_told_in_words(console: ConsoleServer, store: MemoryStore) -> None:
    checks = [{"rule": "literal_variants", "held": True, "message": ""}]
    mended = {"by": ["doubled_equals", "casts"]}
    store.put(asked(), trace(candidates=[candidate(FIRST, checks=checks, mended=mended), candidate(SECOND)]))
    said = plain((await console.get(f"/asks/{KEY}"))[1])
    assert "constants are spelled as in the data" in said
    assert "repaired: == written as =, a cast added" in said


async def test_of_one_reading_or_an_older_history_nothing_is_taken_apart(
    console: ConsoleServer, store: MemoryStore
) -> None:
    older = json.loads(trace().document)
    for step in older:
        for cluster in step.get("clusters", ()):
            del cluster["terms"]
    store.put(asked(), replace(trace(), document=json.dumps(older)))
    assert "<h3>Evidence</h3>" not in (await console.get(f"/asks/{KEY}"))[1]
    store.put(trace(clusters=[[FIRST]]))
    assert "<h3>Evidence</h3>" not in (await console.get(f"/asks/{KEY}"))[1]


async def test_a_pinned_answer_leads_to_the_ask_that_worked_it_out(
    console: ConsoleServer, store: MemoryStore
) -> None:
    left = [{"expert": "qwen"}, {"expert": "qwen"}]
    pinned = {"since": "2025-01-01T00:00:00+00:00", "by": "asked", "asked": "ab12", "sent_to_models": left}
    store.put(asked(pinned=True), trace(pinned=pinned))
    text = (await console.get(f"/asks/{KEY}"))[1]
    said = plain(text)
    assert "Nothing now: the SQL is pinned. First answered with qwen in an earlier ASK ." in said
    assert 'href="/asks/ab12"' in text
    # what older versions kept of a pin
    store.put(trace(pinned={"since": "2025-01-01T00:00:00+00:00", "by": "asked"}))
    assert "Nothing now: the SQL is pinned." in plain((await console.get(f"/asks/{KEY}"))[1])
