"""Numbers in the units of a viewBox."""

from __future__ import annotations

from itertools import pairwise

import pytest

from askwire.proxy.console.charts import Judgement, Plot, segments, weights_plot


def test_segments_fill_the_time_they_took() -> None:
    found = segments([("session", 10.0), ("planner", 60.0), ("novel", 80.0)], 100.0)
    assert [(s.name, s.x, s.width) for s in found] == [
        ("session", 0, 10),
        ("planner", 10, 50),
        ("other", 60, 20),
    ]
    assert segments([], 0.0) == []
    assert segments([("session", 0.0)], 0.0) == []


def test_times_that_go_backwards_draw_nothing_odd() -> None:
    found = segments([("session", 50.0), ("planner", 40.0), ("verifier", 200.0)], 100.0)
    assert all(0 <= s.x <= 100 and 0 < s.width <= 100 for s in found)


def test_a_mistake_takes_a_tenth_and_what_is_said_anew_counts_instead() -> None:
    plot = weights_plot(
        [
            Judgement(0.0, "a", {"x": False, "y": True}),
            Judgement(50.0, "b", {"x": False}),
            Judgement(75.0, "a", {"x": True}),
        ],
        0.1,
        until=100.0,
    )
    x = next(line for line in plot.lines if line.name == "x")
    y = next(line for line in plot.lines if line.name == "y")
    assert x.weight == pytest.approx(0.9)
    assert (x.right, x.wrong) == (1, 1)
    assert (y.weight, y.right, y.wrong) == (1.0, 0, 0), "the first judgement of 'a' was taken back"
    assert plot.low <= 0.81
    assert x.path.endswith(f"H{Plot.WIDTH}")


def test_lines_stay_within_the_plot_and_labels_apart() -> None:
    judgements = [Judgement(float(n), n, {f"e{k}": n % (k + 2) > 0 for k in range(8)}) for n in range(2000)]
    plot = weights_plot(judgements, 0.1, until=2000.0)
    for line in plot.lines:
        heights = [float(part.partition("H")[0]) for part in line.path.split("V")[1:]]
        assert all(0 <= height <= Plot.HEIGHT for height in heights)
        assert len(line.path) < 5000
    places = [line.label_y for line in plot.lines]
    assert all(b - a >= 14 for a, b in pairwise(places))
