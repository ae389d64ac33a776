"""Candidates → choice, with the evidence for it.

Must not know: where candidates came from.
"""
