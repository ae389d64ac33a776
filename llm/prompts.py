"""Prompts as files: askwire's own words, and places that are filled with what the policy lets.

A prompt file is TOML between two lines of `+++`, then text. `[inputs]` declares each place by name and type,
`{{name}}` is where it goes:

    +++
    [inputs]
    schema = "data"
    left = "number"
    +++
    Write SQL over these tables:
    {{schema}}
    You may ask {{left}} more times.

A place of data takes a line of its own and is filled with `Disclosure`s, which are quoted where the prompt is
sealed; a number stands anywhere. Owns: loading, checking and filling.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, TypeAlias

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import ConfigurationError

Input: TypeAlias = "int | Sequence[Disclosure]"
"""What a place is filled with: a number, or disclosures."""

_FRONT_MATTER: Final = re.compile(r"\A\+\+\+\n(.*?)\n\+\+\+\n(.*)\Z", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_TYPES: Final = ("data", "number")


@dataclass(frozen=True)
class PromptFile:
    """One prompt; `digest` is its version, the beginning of the SHA-256 of its file."""

    name: str
    inputs: Mapping[str, str]
    text: str
    digest: str

    def fill(self, **given: Input) -> tuple[Disclosure, ...]:
        """The parts of the prompt in order, for `llm.egress`.

        A place of data that is given nothing leaves out the paragraph of instructions that ends with it; one
        that is a paragraph of its own leaves out itself.
        Raises TypeError for an input that is missing, unknown, or of the other type.
        """
        if given.keys() != self.inputs.keys():
            wrong = ", ".join(sorted(given.keys() ^ self.inputs.keys()))
            raise TypeError(
                f"prompt {self.name!r} takes {', '.join(self.inputs)}; missing or unknown: {wrong}"
            )
        for name, filling in given.items():
            if (self.inputs[name] == "number") != isinstance(filling, int):
                raise TypeError(f"input {name!r} of prompt {self.name!r} is {self.inputs[name]}")
        parts: list[Disclosure] = []
        words = ""
        for piece in _split(self.text):
            value: Input | None = given.get(piece[1]) if piece[1] else None
            if value is None:
                words += piece[0]
            elif isinstance(value, int):
                words += str(value)
            elif value:
                parts += _instruction(words)
                parts += value
                words = ""
            elif not words.endswith("\n\n"):
                words = words.rstrip("\n").rpartition("\n\n")[0] + "\n"
        return (*parts, *_instruction(words))


def _split(text: str) -> list[tuple[str, str]]:
    """Pieces of a text in order: (words, '') or ('', name of a place)."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for match in _PLACEHOLDER.finditer(text):
        pieces += [(text[at : match.start()], ""), ("", match[1])]
        at = match.end()
    pieces.append((text[at:], ""))
    return pieces


def _instruction(words: str) -> list[Disclosure]:
    kept = _BLANK_LINES.sub("\n\n", words.strip("\n"))
    return [Disclosure(Kind.INSTRUCTION, kept, required=True)] if kept.strip() else []


@lru_cache(maxsize=128)  # each expert has all of them
def read_prompt(name: str, content: str) -> PromptFile:
    """A prompt from the text of its file; raises ConfigurationError for one that is not sound."""

    def unsound(why: str) -> ConfigurationError:
        return ConfigurationError(f"prompt {name!r} cannot be used: {why}")

    front = _FRONT_MATTER.match(content)
    if front is None:
        raise unsound("it does not begin with inputs between lines of +++")
    try:
        header = tomllib.loads(front[1])
    except tomllib.TOMLDecodeError as error:
        raise unsound(f"its head is not valid TOML: {error}") from None
    inputs = header.get("inputs")
    if header.keys() != {"inputs"} or not isinstance(inputs, dict):
        raise unsound("its head holds something else than [inputs]")
    for place, kind in inputs.items():
        if kind not in _TYPES:
            raise unsound(f"input {place!r} is neither {' nor '.join(_TYPES)}")
    text = front[2].strip("\n")
    used = _PLACEHOLDER.findall(text)
    for place in used:
        if place not in inputs:
            raise unsound(f"{place!r} is not among its inputs")
        if inputs[place] == "data" and not re.search(rf"^\{{\{{\s*{place}\s*\}}\}}$", text, re.MULTILINE):
            raise unsound(f"{place!r} is data and has no line of its own")
    for place in inputs:
        if used.count(place) != 1:
            raise unsound(f"{place!r} is used {used.count(place)} times")
    if "{{" in _PLACEHOLDER.sub("", text):
        raise unsound("a place has no name that can be read")
    return PromptFile(name, inputs, text, hashlib.sha256(content.encode("utf-8")).hexdigest()[:12])


def load_prompts(package: str, names: Sequence[str]) -> Mapping[str, PromptFile]:
    """The prompts of a package, files `<name>.md`, by name; raises ConfigurationError."""
    folder = files(package)
    found = {}
    for name in names:
        try:
            content = (folder / f"{name}.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError(f"prompt {name!r} of {package} cannot be read") from None
        found[name] = read_prompt(name, content)
    return found
