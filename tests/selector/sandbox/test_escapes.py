"""Attempts to get out of the sandbox: none may, with the look at the text, and with the kernel alone."""

from __future__ import annotations

import asyncio
import mmap
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import pytest
import pytest_asyncio

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.sandbox import running
from askwire.selector.sandbox.running import CodeFailed, Limits, Sandbox, SandboxOff, available

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="there is a sandbox on Linux only"),
]

SECRET = "ESCAPED: the secret"
TABLE = {"t": ResultSet((ResultColumn("a", 23), ResultColumn("b", 25)), (("1", "x"), ("2", None)))}
WAY_OUT = """b = pd.__builtins__
b['globals']().update(b)
imp = b['__import__']
os = imp('os')
def libc():
    return imp('ctypes').CDLL(None)
"""


def attempts() -> Iterator[tuple[str, str]]:
    """Names and codes of the file."""
    text = Path(__file__).with_name("escapes.txt").read_text("utf-8")
    for part in text.split("-- ")[1:]:
        name, _, code = part.partition("\n")
        yield name, code


ATTEMPTS = dict(attempts())
HARMLESS = (
    "read a file with open",
    "read a file by its descriptor",
    "read a file through io",
    "read a file through codecs",
    "read a file through json's own codecs",
    "read a file through pathlib",
    "read a file through linecache",
    "read a file through tokenize",
    "read a file as csv",
    "read a file as csv by its address",
    "read a file as lines of fixed width",
    "read a file as a table",
    "unpickle something that opens a file",
    "read a pickled frame",
    "numpy's load",
    "numpy's fromfile",
    "numpy's memmap",
    "numpy's genfromtxt",
    "numpy's loadtxt",
    "look at a file",
    "ask for access to a file",
    "list a folder",
    "scan a folder",
    "glob a folder",
    "read a link",
    "where it works",
    "change the folder",
    "write a csv",
    "write a pickle",
    "write json",
    "write through the name of a method",
    "save an array",
    "write an array's bytes",
    "make a folder",
    "make a link",
    "make a second name",
    "rename a file",
    "remove a file",
    "cut a file",
    "change who may read a file",
    "make a fifo",
    "a temporary file",
    "a file in memory",
    "a pipe",
    "duplicate what is open",
    "a socket",
    "a pair of sockets",
    "a connection",
    "a local socket",
    "ask for a name",
    "the name of the machine",
    "fork",
    "a shell",
    "a program beside",
    "a program through subprocess",
    "a thread",
    "signal the tester of this",
    "signal the parent",
    "open with the C library",
    "memory to run",
    "make memory runnable later",
    "frames above",
    "the frame of a generator",
    "subclasses of object",
    "names in a query",
    "names in pandas' eval",
    "the text of a format",
    "imports that were not done",
    "a module from elsewhere",
    "signals of its own",
)
"""What may be tried where nothing is denied: it harms no machine, and shows that the suite can fail."""
UNDONE = """
zygote.kernel.enclose = lambda: []
zygote.kernel.lock = lambda keep, *, memory, seconds: None
zygote._proved = lambda space: ""
"""


@dataclass
class World:
    """What an attempt could reach."""

    secret: Path
    folder: Path
    listener: socket.socket

    def fill(self, code: str) -> str:
        places = {"secret": self.secret, "folder": self.folder, "pid": os.getpid()}
        for name, value in (*places.items(), ("port", self.listener.getsockname()[1])):
            code = code.replace("{" + name + "}", str(value))
        return code

    def untouched(self) -> bool:
        try:
            self.listener.accept()
        except BlockingIOError:
            files = {"planted.py"} if (self.folder / "planted.py").exists() else set()
            return self.secret.read_text() == SECRET and set(os.listdir(self.folder)) == files
        return False


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("ASKWIRE_CANARY", SECRET)
    place = tmp_path_factory.mktemp("world")
    for folder in (place, *place.parents[:3]):
        if folder.owner() == Path(place).owner() and not folder.stat().st_mode & stat.S_ISVTX:
            folder.chmod(0o755)
    secret = place / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o666)
    folder = place / "open to all"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "planted.py").write_text("")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield World(secret, folder, listener)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def bare() -> AsyncIterator[Sandbox]:
    """A sandbox that does not look at texts: what holds is the kernel."""
    if reason := available():
        pytest.skip(reason)
    sandbox = Sandbox(Limits(seconds=3.0), checked=False)
    await sandbox.start()
    yield sandbox
    await sandbox.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def hasty() -> AsyncIterator[Sandbox]:
    """Such a sandbox, in which what does not end is ended soon."""
    if reason := available():
        pytest.skip(reason)
    sandbox = Sandbox(Limits(seconds=0.5), checked=False)
    await sandbox.start()
    yield sandbox
    await sandbox.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    if reason := available():
        pytest.skip(reason)
    sandbox = Sandbox()
    await sandbox.start()
    yield sandbox
    await sandbox.close()


class UnlayeredSandbox(Sandbox):
    """A sandbox that holds nothing back, also when it had to start again."""

    async def _begin(self) -> asyncio.subprocess.Process:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(running, "_BEGIN", running._BEGIN.replace("if sys.argv", f"{UNDONE}if sys.argv", 1))
            return await super()._begin()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def without_layers() -> AsyncIterator[Sandbox]:
    """One that does not look at texts either, and has a busy machine's time for what gets through."""
    sandbox = UnlayeredSandbox(Limits(seconds=60.0), checked=False)
    try:
        await sandbox.start()
    except SandboxOff as off:
        pytest.skip(str(off))
    yield sandbox
    await sandbox.close()


def test_there_are_many_attempts() -> None:
    assert len(ATTEMPTS) >= 60
    assert set(ATTEMPTS) >= set(HARMLESS)


async def got_through(sandbox: Sandbox, world: World, name: str) -> bool:
    """Whether an attempt left a result, told the secret, or changed anything around it."""
    try:
        await sandbox.run(WAY_OUT + world.fill(ATTEMPTS[name]), TABLE)
    except CodeFailed as failed:
        return SECRET in str(failed) or not world.untouched()
    return True


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", HARMLESS)
async def test_without_the_layers_an_attempt_gets_through(
    without_layers: Sandbox, world: World, name: str
) -> None:
    assert await got_through(without_layers, world, name)


@pytest.mark.asyncio(loop_scope="module")
async def test_it_has_none_after_it_had_to_start_again(without_layers: Sandbox, world: World) -> None:
    process = without_layers._process
    assert process is not None
    process.kill()
    await process.wait()
    assert await got_through(without_layers, world, HARMLESS[0])


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ATTEMPTS)
async def test_the_kernel_alone_lets_nothing_through(bare: Sandbox, world: World, name: str) -> None:
    assert not await got_through(bare, world, name)
    # and the next run is as any other
    assert (await bare.run("result = t['a'].sum()", TABLE)).rows == (("3",),)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ATTEMPTS)
async def test_a_look_at_the_text_says_what_is_not_possible(
    sandbox: Sandbox, world: World, name: str
) -> None:
    with pytest.raises(CodeFailed, match=r"not (possible|there)"):
        await sandbox.run(WAY_OUT + world.fill(ATTEMPTS[name]), TABLE)
    assert world.untouched()


ENDLESS = [
    "while True:\n    pass",
    "import re\nresult = [bool(re.match('(a+)+$', 'a' * 60 + 'b'))]",
    "result = [10 ** 10 ** 9]",
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("code", ENDLESS)
async def test_the_endless_are_ended(hasty: Sandbox, code: str) -> None:
    with pytest.raises(CodeFailed, match="it took too long"):
        await hasty.run(code, TABLE)
    assert (await hasty.run("result = t['a'].sum()", TABLE)).rows == (("3",),)


GREEDY = {
    "MemoryError": ["result = [0] * 10 ** 9", "result = np.ones(10 ** 9)", "x = 'x' * 10 ** 9"],
    "larger than": ["result = pd.DataFrame({n: ['x' * 900] * 1900 for n in range(6)})"],
    "too many": ["result = pd.DataFrame({'a': range(100000)})"],
    "RecursionError": ["f = lambda x: f(x)\nresult = f(1)"],
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("said", "code"), [(s, c) for s, codes in GREEDY.items() for c in codes])
async def test_the_greedy_are_ended(bare: Sandbox, said: str, code: str) -> None:
    with pytest.raises(CodeFailed, match=said):
        await bare.run(code, TABLE)
    assert (await bare.run("result = t['a'].sum()", TABLE)).rows == (("3",),)


FORGED = {
    "an answer of its own": 'os.write(N, b\'{"columns": ["a"], "rows": [["forged"]]}\')\nos._exit(0)',
    "no table": 'os.write(N, b\'{"columns": ["a"], "rows": [[{"deep": 1}]]}\')\nos._exit(0)',
    "rows of another width": 'os.write(N, b\'{"columns": ["a"], "rows": [["x", "y"]]}\')\nos._exit(0)',
    "no number": 'os.write(N, b\'{"columns": ["a"], "rows": [[NaN]]}\')\nos._exit(0)',
    "a nest": "os.write(N, b'[' * 100000)\nos._exit(0)",
    "a digit too many": 'os.write(N, b\'{"columns": ["a"], "rows": [[\' + b"9" * 9000 + b"]]}")\nos._exit(0)',
    "a frame too many": "os.write(N, b'\\x00\\x00\\x00\\x02{}' * 3)\nos._exit(0)",
    "nothing": "os._exit(0)",
    "a signal": "os.abort()",
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", FORGED)
async def test_what_a_child_writes_is_its_own_answer_at_most(bare: Sandbox, name: str) -> None:
    attempt = WAY_OUT + "for n in range(64):\n    try:\n        os.write(n, b'')\n        N = n\n"
    attempt += "    except OSError:\n        pass\n" + FORGED[name]
    try:
        result = await bare.run(attempt, TABLE)
    except CodeFailed:
        assert name != "an answer of its own"
    else:
        assert name == "an answer of its own"
        assert result.rows == (("forged",),)
    assert (await bare.run("result = t['a'].sum()", TABLE)).rows == (("3",),)


def _pages(memory: FileIO, begin: int, end: int) -> Iterator[bytes]:
    for place in range(begin, end, mmap.PAGESIZE):
        with suppress(OSError):
            memory.seek(place)
            yield memory.read(mmap.PAGESIZE)


def writable_memory(pid: int) -> Iterator[bytes]:
    """What a process holds in memory it can write to."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if line.split()[1].startswith("rw") and "[v" not in line:
                begin, end = (int(place, 16) for place in line.split()[0].split("-"))
                memory.seek(begin)
                try:
                    yield memory.read(end - begin)
                except OSError:  # guard pages lie in it
                    yield b"".join(_pages(memory, begin, end))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into it")
@pytest.mark.asyncio(loop_scope="module")
async def test_no_run_begins_with_what_another_was_given(bare: Sandbox) -> None:
    mark = os.urandom(12).hex()
    told = {"t": ResultSet((ResultColumn("a", 25),), tuple((f"<{mark}>",) for _ in range(500)))}
    assert (await bare.run("result = t", told)).rows[0] == (f"<{mark}>",)
    with pytest.raises(CodeFailed, match=mark):
        await bare.run("raise ValueError(t['a'][0])", told)
    await bare.run("result = [1]", TABLE)
    assert bare.pid is not None
    assert not any(mark.encode() in part for part in writable_memory(bare.pid))
