"""Question → candidates.

Owns: the experts that propose SQL and what they must know beforehand (catalog, linking, values). Must not
know: how candidates are judged or chosen, or how a session works.
"""
