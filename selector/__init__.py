"""Verdicts → choice.

Owns: clustering candidates by their answers, weighing the evidence for each cluster, and the decision to
answer, to ask back or to refuse. Must not know: where candidates came from, or how they were tried.
"""

from askwire.selector.selection import select

__all__ = ["select"]
