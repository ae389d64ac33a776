"""Changes that wait: one for each record, and what gives way when there is no room."""

from __future__ import annotations

from data.store_records import asked

from askwire.core.records import AskedTrace, HistoryEntry, Term
from askwire.store.postgres.queue import ChangeQueue


def term(key: str) -> Term:
    return Term(key, 1.0, "ada", "s", "d", "t", "m")


def keys(queue: ChangeQueue) -> list[str]:
    return [entry.key for entry in queue.some(100)]


def test_what_is_put_again_takes_the_place_of_what_waits() -> None:
    queue = ChangeQueue(10)
    queue.put([asked("a"), asked("b"), asked("a", sql="SELECT 2")])
    assert keys(queue) == ["b", "a"]
    queue.put([(HistoryEntry, "b")])
    assert len(queue) == 2
    assert queue.some(10)[1].change == (HistoryEntry, "b")


def test_what_changed_while_it_was_written_waits_on() -> None:
    queue = ChangeQueue(10)
    queue.put([asked("a"), asked("b")])
    some = queue.some(10)
    queue.put([asked("a", sql="SELECT 2")])
    queue.done(some)
    assert keys(queue) == ["a"]
    assert len(queue) == 1


def test_history_gives_way_to_what_people_taught() -> None:
    queue = ChangeQueue(3)
    assert queue.put([asked("a"), AskedTrace("a", 1.0, "[]"), asked("b")]) == 0
    assert queue.put([asked("c")]) == 1
    assert keys(queue) == ["a", "b", "a"]
    assert queue.put([term("t")]) == 1
    assert keys(queue) == ["t", "a", "b"], "the steps of an ASK go first"
    assert queue.put([term("u"), term("v")]) == 2
    assert queue.put([term("w")]) == 1
    assert keys(queue) == ["t", "u", "v"]
    assert queue.put([term("t")]) == 0, "what waits already needs no room"


def test_numbers_tell_what_was_put_before() -> None:
    queue = ChangeQueue(10)
    queue.put([asked("a"), term("t")])
    behind = queue.last
    queue.put([asked("b")])
    assert queue.oldest(Term) <= behind
    queue.done([entry for entry in queue.some(10) if entry.key in "at"])
    assert queue.oldest(Term) > behind
    assert queue.oldest() > behind
    assert queue.oldest(HistoryEntry) == queue.last
    assert queue.clear() == 1
    assert queue.oldest() > queue.last
