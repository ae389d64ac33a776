"""What a child does with its tables and its code, and what it needs of Python before it is shut in.

Owns: imports that must be done beforehand, the names a script finds, and its result as rows of plain values.
"""

from __future__ import annotations

import builtins
import importlib
import json
import math
import os
import time
import traceback
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from askwire.selector.sandbox import static

MOST_ROWS: Final = 2000
MOST_COLUMNS: Final = 64
LONGEST_CELL: Final = 1000
RESULT: Final = "result"
SCRIPT: Final = "<script>"

_BEFORE: Final = (
    *sorted(static.MODULES),
    *("_strptime", "calendar", "encodings.idna", "encodings.latin_1", "encodings.utf_16", "locale"),
    *("unicodedata", "zoneinfo", "bisect", "heapq", "fractions", "numbers", "textwrap", "copy"),
    *("numpy.random", "numpy.linalg", "numpy.ma", "numpy.fft", "numpy.polynomial", "numpy.strings"),
    *("pandas.core.window.rolling", "pandas.core.window.ewm", "pandas.core.window.expanding"),
    *("pandas.core.resample", "pandas.core.groupby.generic", "pandas.core.reshape.api"),
    *("pandas.core.methods.describe", "pandas.core.methods.selectn", "pandas.core.methods.to_dict"),
    *("pandas.io.formats.format", "pandas.io.formats.string", "pandas.core.strings.accessor"),
    *("pandas.core.arrays.string_", "pandas.core.indexes.accessors", "pandas.tseries.offsets"),
)
"""Imported before a child is shut in; what a version does not have is left out."""


def ready(*, checked: bool = True) -> Callable[[bytes], bytes]:
    """Import all that scripts use, warm up what pandas imports late, and give back the work.

    It turns a request into an answer; `checked`: the text of its code is looked at first.

    Raises ImportError when pandas is not installed.
    """
    os.environ["TZ"] = "UTC"
    time.tzset()
    pandas: Any = importlib.import_module("pandas")
    for name in _BEFORE:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    worker = _Worker(pandas, checked=checked)
    for script in _WARMING:
        worker.answer({"code": script, "tables": _SAMPLE})
    return lambda request: json.dumps(worker.answer(json.loads(request))).encode()


_SAMPLE: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "t": {
            "columns": ["a", "b", "c"],
            "kinds": ["number", "text", "date"],
            "rows": [["1", "x", "2024-01-01"], ["2", "y", "2024-02-01"], ["2", None, None]],
        }
    }
)
_WARMING: Final = (
    "result = t.merge(t, on='a', how='left', suffixes=('', '_2')).groupby('b')['a'].agg(['sum', 'mean'])",
    "result = t.sort_values(['a', 'b'], ascending=[False, True]).drop_duplicates().head(1)",
    "result = t[t['b'].str.contains('x', na=False) & (t['c'].dt.year == 2024) & t['a'].isin([1])]",
    "import pandas as pd\nresult = pd.DataFrame({'n': [t['a'].nunique(), round(t['a'].std(), 2)]})",
    "result = t.pivot_table(index='b', values='a', aggfunc='sum').reset_index()",
    "result = t['b'].value_counts().nlargest(1).to_frame()\nresult['m'] = t['a'].astype(str).mode()[0]",
    "result = pd.concat([t, t]).assign(d=lambda f: f['c'].dt.strftime('%Y')).nlargest(1, 'a')",
    "t['w'] = t['a'].rolling(2).mean()\nresult = t.set_index('c').resample('MS')['a'].sum()",
    "result = t.groupby('b', as_index=False).apply(lambda g: g.head(1))\nprint(result)",
    "result = pd.cut(t['a'], 2).astype(str)\nx = t.describe()\ny = t['b'].fillna('').str.lower()",
    "result = t['nothing']",
)


class _Worker:
    def __init__(self, pandas: Any, *, checked: bool) -> None:
        self._pandas = pandas
        self._checked = checked
        self._numpy = importlib.import_module("numpy")
        self._builtins = {n: getattr(builtins, n) for n in static.NAMES if hasattr(builtins, n)}
        # numpy and pandas import in a script's name as well: what a script may not is `static`'s affair
        self._builtins |= {"__import__": __import__, "print": _print}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request's answer; whatever goes wrong in a script is an `error` in one line."""
        code = request["code"]
        if self._checked and (why := static.refusal(code)):
            return {"error": why}
        names: dict[str, Any] = {"pd": self._pandas, "np": self._numpy}
        names |= {name: self._frame(table) for name, table in request["tables"].items()}
        names["__builtins__"] = self._builtins
        try:
            exec(compile(code, SCRIPT, "exec"), names)  # noqa: S102 - what this process is for
            return self._told(names)
        except BaseException as error:  # noqa: BLE001 - whatever a script raises is its answer
            return {"error": _said(error)}

    def _frame(self, table: Mapping[str, Any]) -> Any:
        """A table of texts as a frame: numbers as numbers, dates as dates, NULL as pandas' own."""
        pandas = self._pandas
        columns = list(zip(*table["rows"], strict=True)) or [()] * len(table["columns"])
        frame = pandas.DataFrame(dict(enumerate(map(list, columns))), dtype=object)
        for place, kind in enumerate(table["kinds"]):
            cells = frame[place]
            if kind == "number":
                frame[place] = pandas.to_numeric(cells)
            elif kind == "date":
                frame[place] = pandas.to_datetime(cells, errors="coerce")
            elif kind == "truth":
                frame[place] = cells.map({"t": True, "f": False})
        frame.columns = list(table["columns"])
        return frame

    def _told(self, names: Mapping[str, Any]) -> dict[str, Any]:
        if RESULT not in names:
            return {"error": f"the code leaves nothing under the name {RESULT!r}"}
        result, pandas = names[RESULT], self._pandas
        if isinstance(result, pandas.Series):
            result = result.to_frame()
        if not isinstance(result, pandas.DataFrame):
            result = pandas.DataFrame(result if isinstance(result, list | dict) else [result])
        if len(result) > MOST_ROWS or len(result.columns) > MOST_COLUMNS:
            return {"error": f"the result has {len(result)} rows and {len(result.columns)} columns: too many"}
        rows = [[_cell(cell, pandas) for cell in row] for row in result.itertuples(index=False, name=None)]
        return {"columns": [str(name)[:LONGEST_CELL] for name in result.columns], "rows": rows}


def _print(*_given: object, **_named: object) -> None:
    """No one reads what a script prints."""


def _cell(cell: Any, pandas: Any) -> str | int | float | bool | None:
    if cell is None or cell is pandas.NA or cell is pandas.NaT:
        return None
    if hasattr(cell, "item") and not hasattr(cell, "isoformat"):
        cell = cell.item()
    if isinstance(cell, bool | int):
        return cell if abs(cell) < 1 << 63 else str(cell)
    if isinstance(cell, float):
        return None if math.isnan(cell) else cell if math.isfinite(cell) else str(cell)
    if hasattr(cell, "isoformat"):
        return str(cell.isoformat())[:LONGEST_CELL]
    return str(cell)[:LONGEST_CELL]


def _said(error: BaseException) -> str:
    """An error as a line for anyone who wrote the script, with the line it came from."""
    places = [f.lineno for f in traceback.extract_tb(error.__traceback__, 50) if f.filename == SCRIPT]
    where = f" (line {places[-1]})" if places else ""
    try:
        text = " ".join(str(error).split())[:LONGEST_CELL]
    except BaseException:  # noqa: BLE001 - the text of an exception is the script's, too
        text = ""
    return f"{type(error).__name__}: {text}{where}"[: LONGEST_CELL + 100]
