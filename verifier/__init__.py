"""Candidate × question → verdict: parse, gate, EXPLAIN, run under caps, check.

Must not know: how candidates are made or chosen.
"""
