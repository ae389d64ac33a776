"""A look at code before it runs: what passes, and what is said of the rest."""

from __future__ import annotations

import pytest

from askwire.selector.sandbox.static import MAX_SCRIPT_CHARACTERS, refusal, unfenced


@pytest.mark.parametrize(
    "code",
    [
        "import pandas as pd\nresult = club[['a', 'b']].drop_duplicates()",
        "from datetime import datetime\nresult = [datetime.now().year]",
        "def half(x):\n    return x / 2\nresult = t['a'].apply(half).to_frame()",
        "result = t[t['load'] > 1].rename(columns={'open': 'io'})",
        "result = pd.to_datetime(t['d']).dt.strftime('%Y')",
        "for _, row in t.iterrows():\n    print(f'{row.a}')\nresult = t",
    ],
)
def test_ordinary_scripts_pass(code: str) -> None:
    assert refusal(code) == ""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os", "module 'os' is not there"),
        ("from pandas.io import common", "module 'pandas.io' is not there"),
        ("from numpy import memmap", "'memmap' is not possible here"),
        ("from math import *", "names must be imported one by one"),
        ("result = pd.read_csv('x')", "'read_csv' is not possible here"),
        ("result = t.query('a > 1')", "compare columns instead"),
        ("t.to_csv('x')", "'to_csv' is not possible here"),
        ("t.agg('to_pickle')", "'to_pickle' is not possible here"),
        ("x = ().__class__", "'__class__' is not possible here"),
        ("x = '{0.__class__}'.format(1)", "'__' is not possible in a text here"),
        ("open('x')", "the function 'open' is not there"),
        ("getattr(t, 'x')", "the function 'getattr' is not there"),
        ("__import__('os')", "the name '__import__' is not possible here"),
        ("class A: pass", "ClassDef is not possible here"),
        ("async def f(): pass", "AsyncFunctionDef is not possible here"),
        ("def f():\n    yield 1", "Yield is not possible here"),
        ("@len\ndef f(): pass", "decorators are not possible here"),
        ("result = (", "SyntaxError"),
        ("x = " + "-" * 15_000 + "1", "cannot be read"),
        ("x = 1\n" * MAX_SCRIPT_CHARACTERS, "longer than"),
        ("x = '\0'", "null bytes"),
    ],
)
def test_the_rest_is_told_what_is_wrong(code: str, said: str) -> None:
    assert said in refusal(code)


@pytest.mark.parametrize(
    "text",
    ["```python\nresult = t\n```", "```\nresult = t\n```\n", "result = t", "```py\nresult = t\n"],
)
def test_fences_are_taken_off(text: str) -> None:
    assert unfenced(text) == "result = t\n"
