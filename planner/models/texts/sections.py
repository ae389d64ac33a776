"""Markdown in sections: what stands under one heading, in parts that a prompt can quote whole.

Owns: where a document is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_SECTION_CHARACTERS: Final = 1200
"""Characters of a part; a paragraph that is longer is cut at a line, a sentence or a blank."""
_HEADING: Final = re.compile(r"(#{1,6})\s+(\S.*)")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_MAX_SECTIONS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document; `heading` is the way to it: `sales.md, Revenue, Refunds`."""

    heading: str
    text: str

    @property
    def told(self) -> str:
        """As a prompt has it."""
        return f"{self.heading}: {self.text}"


def sections(name: str, text: str) -> tuple[Section, ...]:
    """The parts of a document in its order, at most 20,000."""
    found: list[Section] = []
    for heading, body in _bodies(name, text):
        for part in _parts(body):
            found.append(Section(heading, part))
            if len(found) == _MAX_SECTIONS:
                return tuple(found)
    return tuple(found)


def _bodies(name: str, text: str) -> Iterator[tuple[str, str]]:
    way: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.fullmatch(line.rstrip(" #"))
        if heading is None:
            lines.append(line)
            continue
        yield _called(name, way), "\n".join(lines)
        lines = []
        depth = len(heading[1])
        way = [*((d, words) for d, words in way if d < depth), (depth, heading[2].strip())]
    yield _called(name, way), "\n".join(lines)


def _called(name: str, way: list[tuple[int, str]]) -> str:
    return ", ".join(filter(None, (name, *(words[:80] for _, words in way))))


def _parts(body: str) -> Iterator[str]:
    """Paragraphs together, as many as fit; rows of a table and items of a list are cut between lines."""
    kept = ""
    for paragraph in re.split(r"\n[ \t]*\n", body):
        for piece in _short(paragraph.strip()):
            if kept and len(kept) + len(piece) > MAX_SECTION_CHARACTERS:
                yield kept
                kept = ""
            kept = f"{kept}\n{piece}" if kept else piece
    if kept:
        yield kept


def _short(paragraph: str) -> Iterator[str]:
    while len(paragraph) > MAX_SECTION_CHARACTERS:
        cut = max(
            (
                paragraph.rfind(mark, MAX_SECTION_CHARACTERS // 2, MAX_SECTION_CHARACTERS)
                for mark in ("\n", ". ", "; ")
            ),
            default=-1,
        )
        if cut < 0:
            cut = paragraph.rfind(" ", MAX_SECTION_CHARACTERS // 2, MAX_SECTION_CHARACTERS)
        cut = cut + 1 if cut >= 0 else MAX_SECTION_CHARACTERS
        yield paragraph[:cut].strip()
        paragraph = paragraph[cut:].strip()
    if paragraph:
        yield paragraph
