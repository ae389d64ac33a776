"""Every name of a check and of a mend has words for people."""

from __future__ import annotations

from askwire.core.types import Check
from askwire.verifier.constraints import CONSTRAINTS
from askwire.verifier.in_words import CHECKS, MENDS, check_in_words, mend_in_words, told
from askwire.verifier.lints import LINTS
from askwire.verifier.odds import ODDS, OPINIONS
from askwire.verifier.repair.mends import MENDS as ALL_MENDS
from askwire.verifier.rules import RULES


def test_none_is_missing_and_none_is_left_over() -> None:
    rules = {rule.__name__ for rule in RULES}  # type: ignore[attr-defined]
    names = {rule.kind for rule in CONSTRAINTS} | {lint.name for lint in LINTS} | rules | set(ODDS) | OPINIONS
    # of trying a candidate
    assert set(CHECKS) == names | {"cost", "time"}
    assert set(MENDS) == {mend.name for mend in ALL_MENDS}


def test_words_are_no_names() -> None:
    for words in (*CHECKS.values(), *MENDS.values()):
        assert "_" not in words
        assert words == words.strip(" .")


def test_a_check_is_told_by_what_is_so() -> None:
    assert told(Check("not_empty", True, "nothing")) == "the answer has rows"
    assert told(Check("not_empty", False, "it returns no rows")) == (
        "not so: the answer has rows (it returns no rows)"
    )
    assert told(Check("not_empty", False)) == "not so: the answer has rows"


def test_what_is_not_known_is_shown_as_words_all_the_same() -> None:
    assert check_in_words("some_new_rule") == "some new rule"
    assert mend_in_words("repair by local") == "repair by local"
