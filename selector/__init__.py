"""Verdicts → choice.

Owns: clustering candidates by their answers, weighing the evidence for each cluster, and the decision to
answer, to ask back or to refuse.
"""

from askwire.selector.selection import select

__all__ = ["select"]
