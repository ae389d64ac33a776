"""Language models as experts: endpoints, budgets, egress, prompts, and doubles to test with.

Owns: who is asked and what that may cost (`expert_table`, `sources`, `budget`, `ledger`), how one call is
made (`calling`, `providers`), what leaves (`egress`, `prompts`) and how answers are read (`answers`).
"""
