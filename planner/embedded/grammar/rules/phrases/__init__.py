"""Wordings that stand for a whole clause, or for a thing that they do not name."""
