"""The sandbox as the server uses it: values both ways, time, being started again, and being off."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.sandbox import kernel, running
from askwire.selector.sandbox.running import CodeFailed, Limits, Sandbox, SandboxOff, available

TABLE = {
    "t": ResultSet(
        (ResultColumn("n", 1700), ResultColumn("s", 25), ResultColumn("d", 1082), ResultColumn("b", 16)),
        (("1.5", "x", "2024-02-29", "t"), (None, None, None, None), ("-2", "", "0044-03-15 BC", "f")),
    )
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    if sys.platform != "linux" or (reason := available()):
        pytest.skip("no sandbox here" if sys.platform != "linux" else reason)
    sandbox = Sandbox(Limits(seconds=2.0))
    yield sandbox
    await sandbox.close()


@pytest.mark.asyncio(loop_scope="module")
async def test_values_go_in_and_come_out(sandbox: Sandbox) -> None:
    result = await sandbox.run("result = t", TABLE)
    assert [column.name for column in result.columns] == ["n", "s", "d", "b"]
    assert result.rows == (
        ("1.5", "x", "2024-02-29T00:00:00", "t"),
        (None, None, None, None),
        ("-2.0", "", None, "f"),
    )
    assert [column.type_oid for column in result.columns] == [701, 25, 1114, 16]


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("result = t['n'].sum()", (("-0.5",),)),
        ("result = t['s'].value_counts()", (("1",), ("1",))),
        ("result = t['n'].isna().any()", (("t",),)),
        ("result = {'a': [1, 2]}", (("1",), ("2",))),
        ("result = [None, 'a']", ((None,), ("a",))),
        ("import re\nresult = [re.sub('a', 'b', 'aa')]", (("bb",),)),
        ("result = str(np.array([1, 2]))", (("[1 2]",),)),
        ("result = t[t['d'] > pd.Timestamp('2024-01-01')][['s']]", (("x",),)),
        ("result = t.merge(t, on='s')[['s']].dropna().drop_duplicates()", (("x",), ("",))),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_results_of_many_kinds(sandbox: Sandbox, code: str, rows: tuple[object, ...]) -> None:
    assert (await sandbox.run(code, TABLE)).rows == rows


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1", "leaves nothing under the name 'result'"),
        ("x = 1\nresult = t['nothing']", r"KeyError: 'nothing' \(line 2\)"),
        ("result = 1 / 0", "ZeroDivisionError"),
        ("raise ValueError('the text of it')", "ValueError: the text of it"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_went_wrong_is_told(sandbox: Sandbox, code: str, said: str) -> None:
    with pytest.raises(CodeFailed, match=said):
        await sandbox.run(code, TABLE)


@pytest.mark.asyncio(loop_scope="module")
async def test_one_run_leaves_nothing_for_the_next(sandbox: Sandbox) -> None:
    await sandbox.run("pd.left_behind = 1\nresult = t", TABLE)
    with pytest.raises(CodeFailed, match="left_behind"):
        await sandbox.run("result = [pd.left_behind]", TABLE)


@pytest.mark.asyncio(loop_scope="module")
async def test_it_starts_anew_after_it_was_killed(sandbox: Sandbox) -> None:
    await sandbox.run("result = [1]", TABLE)
    assert sandbox.pid is not None
    os.kill(sandbox.pid, signal.SIGKILL)
    with pytest.raises(CodeFailed):
        await sandbox.run("result = [1]", TABLE)
    assert (await sandbox.run("result = [1]", TABLE)).rows == (("1",),)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_run_that_is_given_up_answers_nobody_else(sandbox: Sandbox) -> None:
    running = asyncio.create_task(sandbox.run("while True:\n    pass", TABLE))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await sandbox.run("result = ['mine']", TABLE)).rows == (("mine",),)


async def test_who_gives_up_waiting_does_not_keep_it_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux" or available():
        pytest.skip("no sandbox here")
    begun = asyncio.Queue[asyncio.subprocess.Process]()
    begin = asyncio.create_subprocess_exec

    async def noted(*command: str, **how: Any) -> asyncio.subprocess.Process:
        process = await begin(*command, **how)
        begun.put_nowait(process)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    sandbox = Sandbox()
    waiting = asyncio.create_task(sandbox.start())
    first = await begun.get()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await sandbox.run("result = [1]", TABLE)).rows == (("1",),)
    assert sandbox.pid == first.pid
    # one that is ended while it starts leaves no process behind
    os.killpg(first.pid, signal.SIGKILL)  # a child of its own would hold its pipes open
    await first.wait()
    waiting = asyncio.create_task(sandbox.start())
    second = await begun.get()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await sandbox.close()
    assert second.returncode is not None


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.slow
async def test_tables_that_are_too_large_are_refused(sandbox: Sandbox) -> None:
    large = ResultSet((ResultColumn("a", 25),), (("x" * (33 << 20),),))
    with pytest.raises(CodeFailed):
        await sandbox.run("result = t", {"t": large})


async def test_it_is_off_where_the_kernel_has_no_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert available() == "Darwin has no kernel layer that askwire knows"
    with pytest.raises(SandboxOff, match="Darwin"):
        await Sandbox().run("result = [1]", TABLE)


async def test_it_is_off_where_pandas_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delenv("ASKWIRE_COMMAND", raising=False)
    assert available() in ("pandas is not installed; run pip install 'askwire[solver]'", kernel.unsupported())


def change_zygotes(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Have zygotes run a line of Python before they begin."""
    begin = running._BEGIN.replace("if sys.argv", f"{line}\nif sys.argv")
    monkeypatch.setattr("askwire.selector.sandbox.running._BEGIN", begin)


async def test_a_layer_that_does_not_hold_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    if available():
        pytest.skip("no sandbox here")
    change_zygotes(monkeypatch, "zygote.kernel._filter = lambda libc, steps: None")
    assert "do not hold" in available()
    with pytest.raises(SandboxOff, match="do not hold"):
        await Sandbox().run("result = [1]", TABLE)


CHILD = """
import os, sys
from askwire.selector.sandbox import kernel
kernel.end_with_parent(int(sys.argv[1]))
print("goes on")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
@pytest.mark.parametrize(("gone", "status", "said"), [(False, 0, "goes on\n"), (True, -signal.SIGKILL, "")])
def test_a_child_whose_parent_has_ended_before_it_began_ends(gone: bool, status: int, said: str) -> None:
    parent = str(os.getpid() + gone)
    done = subprocess.run([sys.executable, "-c", CHILD, parent], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (status, said), done.stderr


@pytest.mark.slow
async def test_code_that_used_up_its_processor_time_took_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's limit says the same as the clock, whichever comes first."""
    if available():
        pytest.skip("no sandbox here")
    change_zygotes(monkeypatch, "zygote._WALL_GRACE_SECONDS = 60.0")
    sandbox = Sandbox(Limits(seconds=0.5))
    try:
        with pytest.raises(CodeFailed, match="it took too long"):
            await sandbox.run("while True:\n    pass", TABLE)
    finally:
        await sandbox.close()
