"""Language models as experts: providers, budgets, egress, prompts.

Must not know: what SQL means. Empty until a model is an expert; the embedded engine lives in
`askwire.planner.embedded`.
"""
