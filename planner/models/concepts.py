"""What some proper names are, as data: 'Dutch' is a language, 'Peru' a country.

Owns: word lists only. They find the relation a question is about where it names one of its values and the
data may not be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LANGUAGES: Final = """
    english dutch spanish french german italian portuguese russian chinese mandarin cantonese
    japanese korean arabic hindi bengali urdu punjabi tamil turkish persian polish ukrainian czech
    greek hungarian romanian swedish danish norwegian finnish hebrew thai vietnamese malay swahili
    latin
"""
_COUNTRIES: Final = """
    argentina australia austria belgium bolivia brazil canada chile china colombia cuba denmark
    egypt england ethiopia finland france germany ghana greece hungary iceland india indonesia iran
    iraq ireland israel italy jamaica japan kenya malaysia mexico morocco netherlands nigeria norway
    pakistan peru philippines poland portugal romania russia scotland serbia singapore spain sweden
    switzerland taiwan thailand turkey uganda ukraine uk usa us venezuela vietnam zambia zimbabwe
    american british canadian australian mexican brazilian swiss irish belgian austrian argentinian
    egyptian african european asian africa europe asia
"""
_COMPANIES: Final = "airways"

CONCEPTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_COUNTRIES.split(), ("country", "nationality")),
    **dict.fromkeys(_LANGUAGES.split(), ("language", "country", "nationality")),
    **dict.fromkeys(_COMPANIES.split(), ("airline",)),
}
"""Words in lower case → what a schema may call the thing they name, the likeliest first."""
