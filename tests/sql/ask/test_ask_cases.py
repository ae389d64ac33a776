"""Every case of cases/ask: which ASKs a text holds, what they say, and where a malformed one is wrong."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from doubles.case_tables import every

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import AskOptions, find_asks, might_hold_ask, substitute

CASES = {
    f"{path.stem} {number}: {case['name']}": case
    for path in sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
    for number, case in enumerate(map(json.loads, path.read_text("utf-8").splitlines()), 1)
}


@every("case", CASES)
def test_case(case):
    text = case["text"]
    conforming = case.get("standard_conforming_strings", True)
    if "error" in case:
        with pytest.raises(AskSyntaxError) as caught:
            find_asks(text, standard_conforming_strings=conforming)
        assert caught.value.message == case["error"]
        assert caught.value.code == "42601"
        # "at" shows what stands at the position; empty means the end of the text.
        pointed = text[caught.value.position - 1 :]
        assert pointed.startswith(case["at"])
        assert bool(pointed) == bool(case["at"])
        if "hint" in case:
            assert caught.value.hint == case["hint"]
        return
    sites = find_asks(text, standard_conforming_strings=conforming)
    assert len(sites) == len(case["asks"])
    for site, expected in zip(sites, case["asks"], strict=True):
        assert text[site.start : site.end] == expected["source"]
        assert site.question == expected["question"]
        assert site.parameter == expected.get("parameter")
        assert site.options == replace(AskOptions(), **expected.get("options", {}))
        assert site.statement_index == expected.get("statement_index", 0)
        assert site.statement_count == expected.get("statement_count", 1)
    if sites:
        assert might_hold_ask(text.encode())
    rewritten = substitute(text, [(site, f"SELECT {n}") for n, site in enumerate(sites)]).text
    for n, site in reversed(list(enumerate(sites))):
        text = f"{text[: site.start]}(SELECT {n}){text[site.end :]}"
    assert rewritten == text


def test_there_are_enough_cases():
    assert len(CASES) >= 80
