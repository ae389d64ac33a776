"""Text in any encoding, read as UTF-8."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwire.core.errors import UnreadableFile
from askwire.files.formats.text_encoding import as_utf8

TEXTS = {
    "cp1252": "name,city\nJürgen Müller,Köln – Süd\nFrançois,Orléans\n",
    "cp1250": "jméno,město\nJiří Dvořák,Říčany\nŁukasz,Łódź\nŽaneta,Třebíč\n",
    "cp1251": "имя,город\nИван Петров,Москва\nОльга,Казань\n",
    "koi8-r": "имя,город\nиван петров,москва\nольга,казань и саратов\n",
    "cp932": "名前,都市\n山田太郎,東京\nさくら,大阪市\n",
    "gb18030": "姓名,城市\n王小明,北京\n李雷,上海市浦东\n",
    "euc_kr": "이름,도시\n김철수,서울\n이영희,부산광역시\n",
    "utf-16": "name,city\nJürgen,Köln\n",
    "utf-16-le": "name,city\nJuergen,Koeln\n",
    "utf-8-sig": "name,city\nJürgen,Köln\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_is_told_by_the_text(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXTS[encoding].encode(encoding))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = as_utf8(path, scratch)
    assert text.path.read_text("utf-8-sig") == TEXTS[encoding]
    assert (text.path == path) is (encoding == "utf-8-sig")
    assert sorted(tmp_path.iterdir()) == [path, scratch]  # nothing is written beside the data


def test_utf8_is_read_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("ä,€,名\n", encoding="utf-8")
    assert as_utf8(path, tmp_path).path == path


def test_lines_of_two_encodings_are_each_read_in_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,Müller\n".encode() + "b,Köln\n".encode("cp1252") + "c,Süß\n".encode())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = as_utf8(path, scratch)
    assert text.path.read_text("utf-8") == "a,Müller\nb,Köln\nc,Süß\n"
    assert text.note == "mixes encodings: 1 lines (first: line 2) are no UTF-8, read as CP1252"


def test_a_named_encoding_holds_or_says_where_it_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("n\nJiří\n".encode("iso-8859-2"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert as_utf8(path, scratch, encoding="iso-8859-2").path.read_text("utf-8") == "n\nJiří\n"
    with pytest.raises(UnreadableFile, match="is not utf-8 at byte"):
        as_utf8(path, scratch, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="there is no encoding 'klingon'"):
        as_utf8(path, scratch, encoding="klingon")
