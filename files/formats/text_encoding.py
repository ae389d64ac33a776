"""Text files in any encoding, as UTF-8.

Owns: telling encodings apart and rewriting what is not UTF-8 into the scratch folder.

A file that is UTF-8 throughout is read where it lies. Else lines that are UTF-8 stay what they are and the
others are read in the encoding that fits the file best: files put together from several sources hold both.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.core.errors import UnreadableFile

_CHUNK_BYTES: Final = 1 << 20
_SAMPLE_BYTES: Final = 1 << 20

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Letters that texts in these encodings are full of. Wrong encodings give symbols, or letters of rare use.
_FREQUENT_LETTERS: Final = {
    "cp1252": "äöüßéèêëàâáãåæçíìîïñóòôõøúùûýÄÖÜÉÈÀÅÆÇÑØÓ€£“”‘’–—…°®©«»·¿¡ºª½",
    "cp1250": "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚŘŠŤŮŽőűŐŰäöüß€„”–",
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЭЯёіїєґ№«»–",
    "koi8-r": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "cp1253": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώΑΒΓΔΕΚΛΜΝΟΠΣΤ€",
    "cp1254": "çğıöşüÇĞİÖŞÜâîû€",
    "mac_roman": "äöüßéèêëàâáãåçíìîïñóòôõúùû",
    "cp437": "äöüßéèêëàâçíìîïñóòôúùû",
}
_KANA: Final = "".join(map(chr, range(0x3041, 0x3097))) + "".join(map(chr, range(0x30A1, 0x30FB))) + "ー"
_FREQUENT_WIDE_SIGNS: Final = {
    "cp932": _KANA + "日本人名市区町村県年月東京大阪中山田川木小上下子一二三",
    "euc_kr": "이가다는의을에한하고도지로사기인시김박최정서울부산대구광역도구동군수자전주성남영일상원현민준",
    "gb18030": "的一是不了在人有我他这中大来上个国和地到以说时要就出会可也王李张刘陈明小海京市区省县路名城",
    "big5": "的一是不了在人有我他這中大來上個國和地到以說時要就出會可也王李張劉陳明小海市區縣路名城臺灣北",
}
"""Encodings of two bytes and more, with signs that texts in them are full of."""


@dataclass(frozen=True, slots=True)
class Text:
    """A UTF-8 file, and one sentence on what was done to the original to get it, '' for nothing."""

    path: Path
    note: str = ""


def as_utf8(path: Path, scratch: Path, *, encoding: str = "") -> Text:
    """The file itself if it is UTF-8, else a copy in `scratch` that is.

    Raises UnreadableFile when `encoding` was named and the file is not in it, with the place.
    """
    if encoding:
        return _decoded(path, scratch, encoding, named=True)
    with path.open("rb") as file:
        head = file.read(_SAMPLE_BYTES)
    mark = next((name for start, name in _BYTE_ORDER_MARKS if head.startswith(start)), "")
    if mark in ("utf-16", "utf-32"):
        return _decoded(path, scratch, mark)
    nul = head.count(0)
    if nul > len(head) // 4:
        little = head[1::2].count(0) > head[0::2].count(0)
        return _decoded(path, scratch, "utf-16-le" if little else "utf-16-be")
    if _is_utf8(path):
        return Text(path)
    return _line_by_line(path, scratch)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while chunk := file.read(_CHUNK_BYTES):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _decoded(path: Path, scratch: Path, encoding: str, *, named: bool = False) -> Text:
    """The whole file from one encoding."""
    copy = scratch / f"{path.name}.utf8"
    decoder = _decoder(encoding)
    done = 0
    with path.open("rb") as file, copy.open("wb") as out:
        while True:
            chunk = file.read(_CHUNK_BYTES)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                raise UnreadableFile(
                    f"{str(path)!r} is not {encoding} at byte {done + error.start:,}",
                    hint="Name its encoding with --encoding." if named else "Save it as UTF-8.",
                ) from None
            out.write(text.removeprefix("\ufeff").encode() if not done else text.encode())
            done += len(chunk)
            if not chunk:
                return Text(copy, f"read as {encoding.upper()}")


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        return codecs.getincrementaldecoder(encoding)()
    except LookupError:
        raise UnreadableFile(
            f"there is no encoding {encoding!r}",
            hint="Examples: utf-8, cp1252, iso-8859-2, shift_jis, utf-16.",
        ) from None


def _line_by_line(path: Path, scratch: Path) -> Text:
    with path.open("rb") as file:
        bad = list(_other_lines(file.read(64 * _SAMPLE_BYTES)))
    encoding = best_encoding(b"\n".join(bad[:20_000]))
    copy = scratch / f"{path.name}.utf8"
    others, utf8, first = 0, 0, 0
    with path.open("rb") as file, copy.open("wb") as out:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                others += 1
                first = first or number
                out.write(line.decode(encoding, "replace").encode())
            else:
                utf8 += not line.isascii()
                out.write(line)
    if not utf8:
        return Text(copy, f"read as {encoding.upper()}")
    return Text(
        copy,
        f"mixes encodings: {others:,} lines (first: line {first:,}) are no UTF-8, read as {encoding.upper()}",
    )


def _other_lines(content: bytes) -> Iterator[bytes]:
    for line in content.split(b"\n"):
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                yield line


def best_encoding(content: bytes) -> str:
    """The encoding in which the text that is no ASCII reads most like a language; cp1252 for lack of any."""
    best, most = "cp1252", -1.0
    for encoding, usual in _FREQUENT_LETTERS.items():
        text = content.decode(encoding, "replace")
        signs = [sign for sign in text if ord(sign) > 127]
        # Some bytes mean nothing in cp1252 and its kin: a few are flaws, many are another encoding.
        score = sum(sign in usual for sign in signs) - 3 * sum(sign == "\ufffd" for sign in signs)
        score -= sum(a.islower() and b.isupper() for a, b in itertools.pairwise(text) if ord(b) > 127)
        if signs and score / len(signs) > most + 0.02:
            best, most = encoding, score / len(signs)
    if most > 0.8:
        return best
    most = max(most, 0.1)
    for encoding, usual in _FREQUENT_WIDE_SIGNS.items():
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        signs = [sign for sign in text if ord(sign) > 127]
        # The same bytes mean signs in each of them; in the wrong one, these are rare ones.
        share = sum(sign in usual for sign in signs) / len(signs) if signs else 0.0
        if share > most:
            best, most = encoding, share
    return best
