"""What the data of loaded tables says of them: keys, references, values, units; and what to ask first.

Owns: finding it in tables that lie in PostgreSQL, whatever loaded them, and declaring it.
"""

from askwire.files.findings.declaring import declare
from askwire.files.findings.model import Evidence, Finding, Findings, Grade, Kind, Target
from askwire.files.findings.questions import Suggestion, asking, suggested
from askwire.files.findings.structure import find_structure

__all__ = [
    "Evidence",
    "Finding",
    "Findings",
    "Grade",
    "Kind",
    "Suggestion",
    "Target",
    "asking",
    "declare",
    "find_structure",
    "suggested",
]
