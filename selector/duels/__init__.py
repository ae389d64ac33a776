"""Duels that a model helps to decide: what the question's answer is on a few rows, worked out apart from SQL.

Owns: the judges of the papers on separating instances and DPC, the databases that are made for them, the
prompts, and the seam to a model (`writer`). What a model writes here is an opinion: rows that are made of it
are data, code that it writes runs in `selector.sandbox` alone.
"""
