"""`python -m askwire.bench.variants --questions FILE --way synonyms|dropped --out FILE --same FILE`.

Owns: arguments and files. `--out` gets the questions that changed, in other words; `--same` gets those very
questions as they were, so that both can be scored over the same ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from askwire.bench.variants.derive import dropped, swapped


def main() -> int:
    """Write both files; the last line tells how many questions changed."""
    parser = argparse.ArgumentParser(prog="variants", description="Derive questions in other words.")
    parser.add_argument("--questions", required=True, type=Path, help="questions with gold SQL")
    parser.add_argument("--way", required=True, choices=("synonyms", "dropped"), help="what is changed")
    parser.add_argument("--out", required=True, type=Path, help="where the changed questions go")
    parser.add_argument("--same", required=True, type=Path, help="where the same questions go, unchanged")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines() if line.strip()]
    changed, same = [], []
    for line in lines:
        question = line["question"]
        other = swapped(question) if options.way == "synonyms" else dropped(question, line["gold_sql"])
        if other != question:
            changed.append({**line, "question": other})
            same.append(line)
    for path, found in ((options.out, changed), (options.same, same)):
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found), "utf-8")
    print(json.dumps({"questions": len(lines), "changed": len(changed)}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
