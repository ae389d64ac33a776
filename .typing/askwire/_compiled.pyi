"""What proxy/wire/compiled.c offers; the module need not be there."""

from askwire.proxy.wire.walker import BackendWalker as _Walker

INTERFACE: int

class Words:
    def __init__(self, words: tuple[bytes, ...]) -> None: ...
    def search(self, data: bytes, /) -> bool: ...

class BackendWalker(_Walker): ...

class Passage:
    def __init__(
        self,
        words: Words,
        scan_limit: int,
        client: object,
        client_socket: int,
        backend: object,
        backend_socket: int,
        /,
    ) -> None: ...
    def start(self, client_skip: int, copying: bool, /) -> None: ...
    def stop(self) -> tuple[int, int, bytes, bytes, bytes, int]: ...
    @property
    def running(self) -> bool: ...

class Receiver:
    received: int
    sent: int
    def data_received(self, data: bytes, /) -> None: ...
    def join(self, passage: Passage | None, is_client: bool, /) -> None: ...
