"""The coverage curve: thresholds, ties, and its drawing."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from askwire.bench.cli import main
from askwire.bench.coverage import Point, at, curve, drawing, figures, from_confidence, thresholds
from askwire.core.settings.table import ANSWER_CONFIDENCE

JUDGED = [(0.9, True), (0.8, True), (0.8, False), (0.4, True), (None, False)]


def test_ties_stand_together_and_the_unanswered_count() -> None:
    assert curve(JUDGED) == (
        Point(0.9, 0.2, 1.0),
        Point(0.8, 0.6, 2 / 3),
        Point(0.4, 0.8, 0.75),
    )


def test_the_most_is_answered_that_the_precision_lets() -> None:
    points = curve(JUDGED)
    assert at(points, 0.9) == points[0]
    assert at(points, 0.7) == points[2]
    assert at(curve([(0.9, False)]), 0.5) is None
    assert figures(points)["75"] == {"coverage": 80.0, "precision": 75.0, "confidence": 0.4}


def test_a_threshold_takes_what_is_as_sure() -> None:
    points = curve(JUDGED)
    assert from_confidence(points, 0.8) == points[1]
    assert from_confidence(points, 0.95) is None
    assert thresholds(points, (0.5,))["0.5"] == {"coverage": 60.0, "precision": 66.7, "confidence": 0.8}


def test_the_drawing_is_xml_with_a_line_per_curve() -> None:
    tree = ElementTree.fromstring(drawing({"a & b": curve(JUDGED), "c": curve(JUDGED[:1])}))
    assert len(tree.findall("{http://www.w3.org/2000/svg}polyline")) == 2
    assert "a & b" in [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_the_command_reads_what_score_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    details, svg = tmp_path / "details", tmp_path / "curve.svg"
    lines = [{"db_id": "wta_1", "confidence": c, "best_right": r} for c, r in JUDGED]
    lines.append({"db_id": "singer", "confidence": 0.9, "best_right": False})
    details.write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = ["coverage", "--details", f"mine={details}", "--part", "reporting", "--svg", str(svg)]
    assert main(asked) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["mine"]["at_precision"]["90"]["coverage"] == 20.0
    assert ANSWER_CONFIDENCE.default in told["mine"]["from_confidence"]
    assert svg.read_text().startswith("<svg")
    assert main(["coverage", "--details", str(details)]) == 1
