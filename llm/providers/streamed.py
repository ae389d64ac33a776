"""A chat completion that comes in pieces (server-sent events), put together as one that came whole.

What has been written by the time a connection breaks counts where it is a whole JSON object already, and who
goes on writing behind its object need not be read to the end. Owns: that.
"""

from __future__ import annotations

import json
from typing import Any, Final

from askwire.llm.answers import MAX_ANSWER_CHARACTERS, read_object, without_reasoning

_MAX_TRAILING_CHARACTERS: Final = 400
"""Characters behind a whole answer after which the rest is not waited for."""


class Whole:
    """The same of a body that comes in one piece: nothing of it counts before its end."""

    enough = False
    whole = False

    def __init__(self) -> None:
        self._raw = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take some bytes more."""
        self._raw += chunk

    def body(self) -> bytes:
        """All of them."""
        return bytes(self._raw)


class BodyStream:
    """Takes the bytes of a body as they come; `body` is then as if they had not come in pieces."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._rest = b""
        self._pieces: list[str] = []
        self._length = 0
        self._looked_at = 0
        self._message: dict[str, Any] = {}
        self._finish: str | None = None
        self._usage: object = None
        self._events = 0
        self._chosen = False

    def feed(self, chunk: bytes) -> None:
        """Take some bytes more; what is no event of a stream is left alone."""
        if not self._events:
            self._raw += chunk  # it may be that the endpoint does not stream
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:].strip())

    def _take(self, data: bytes) -> None:
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return  # [DONE], a comment, or what is cut
        if not isinstance(event, dict):
            return
        self._events += 1
        self._usage = event.get("usage") or self._usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._chosen = True
        finish, delta = choice.get("finish_reason"), choice.get("delta")
        self._finish = finish if isinstance(finish, str) else self._finish
        if isinstance(delta, dict):
            content, refusal = delta.get("content"), delta.get("refusal")
            if isinstance(content, str) and self._length <= MAX_ANSWER_CHARACTERS:
                self._pieces.append(content)
                self._length += len(content)
            if isinstance(refusal, str):
                self._message["refusal"] = self._message.get("refusal", "") + refusal

    @property
    def enough(self) -> bool:
        """Whether nothing of use can follow: the answer is as long as any that is read, or whole for long."""
        if self._length > MAX_ANSWER_CHARACTERS:
            return True
        if self._length - self._looked_at < _MAX_TRAILING_CHARACTERS:
            return False
        self._looked_at = self._length
        whole = "".join(self._pieces)
        return read_object(whole[:-_MAX_TRAILING_CHARACTERS]) is not None

    @property
    def whole(self) -> bool:
        """Whether what came is an answer although the connection broke: it holds a JSON object."""
        return bool(self._finish) or read_object(without_reasoning("".join(self._pieces))) is not None

    def body(self) -> bytes:
        """The completion as one JSON document; what came, where it was no stream."""
        if not self._events:
            return bytes(self._raw)
        message = {"content": "".join(self._pieces), **self._message}
        choice = {"message": message, "finish_reason": self._finish or "stop"}
        choices = [choice] if self._chosen else []
        return json.dumps({"choices": choices, "usage": self._usage}).encode()
