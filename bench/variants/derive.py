"""Variants of questions that keep their answer: words swapped for synonyms, columns left unsaid.

Owns: the swaps and what may be dropped. The answer stays that of the gold SQL, so that the difference in the
figures is the price of the wording.
"""

from __future__ import annotations

import re
from typing import Final

_SWAPS: Final = """
    student=pupil students=pupils teacher=instructor teachers=instructors singer=vocalist singers=vocalists
    song=tune songs=tunes country=nation countries=nations city=town cities=towns dog=hound dogs=hounds
    owner=proprietor owners=proprietors professional=specialist professionals=specialists treatment=therapy
    treatments=therapies cost=expense costs=expenses airport=airfield airports=airfields airline=carrier
    airlines=carriers language=tongue languages=tongues museum=gallery museums=galleries visitor=guest
    visitors=guests friend=buddy friends=buddies player=athlete players=athletes match=contest
    matches=contests
    winner=victor winners=victors orchestra=ensemble orchestras=ensembles conductor=maestro
    conductors=maestros stadium=arena stadiums=arenas concert=gig concerts=gigs car=automobile
    cars=automobiles employee=worker employees=workers company=firm companies=firms people=persons
    average=mean maximum=highest minimum=lowest total=overall distinct=different
    earliest=first latest=newest youngest=least-aged population=inhabitants region=area government=regime
    property=estate properties=estates feature=trait features=traits grade=form grades=forms height=stature
    weight=heaviness nationality=citizenship birthday=birthdate abbreviation=short-name performance=appearance
    performances=appearances breed=race breeds=races charge=fee charges=fees money=cash earnings=income
"""
SWAPS: Final = dict(pair.split("=") for pair in _SWAPS.split())
_JOINING: Final = frozenset(
    {"is", "are", "was", "of", "with", "the", "named", "called", "equal", "to", "in", "a"}
)
_EQUALS: Final = re.compile(
    r"""(?:\w+\.)?"?(?P<column>\w+)"?\s*(?:=|LIKE)\s*'(?P<value>[^'%]{2,60})'""", re.I
)
MAX_WORDS_BEFORE_VALUE: Final = 4
"""Words before a value among which its column may be said."""


def swapped(question: str) -> str:
    """The question with every known word outside quotes replaced by its synonym; capitals stay."""

    def other(match: re.Match[str]) -> str:
        word = match.group()
        found = SWAPS.get(word.lower())
        if found is None:
            return word
        found = found.replace("-", " ")
        return found.capitalize() if word[0].isupper() else found

    parts = re.split(r"""("[^"]*"|'[^']*'(?!\w))""", question)
    return "".join(part if at % 2 else re.sub(r"[A-Za-z]+", other, part) for at, part in enumerate(parts))


def dropped(question: str, gold: str) -> str:
    """The question without the words of a column that stand before the value the gold compares it with.

    'cities whose country code is NLD' with CountryCode = 'NLD' → 'cities whose NLD'.
    """
    for match in _EQUALS.finditer(gold):
        place = question.lower().find(match["value"].lower())
        if place <= 0:
            continue
        words = {w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", match["column"])}
        before = list(re.finditer(r"[A-Za-z]+", question[:place]))[-MAX_WORDS_BEFORE_VALUE:]
        said = [w for w in before if w.group().lower().removesuffix("s") in words | {s + "s" for s in words}]
        if not said:
            continue
        rest = [w.group().lower() for w in before if w.start() > said[-1].start()]
        if set(rest) - _JOINING:
            continue
        quote = question[place - 1] if question[place - 1] in "'\"" else ""
        kept = question[: said[0].start()].rstrip()
        return re.sub(r"\s+", " ", f"{kept} {quote}{question[place:]}")
    return question
