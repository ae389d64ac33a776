"""Question → candidates.

Owns: the experts that propose SQL and what they must know beforehand (catalog, linking, values).
"""
