"""Experts that are language models: how a question and a catalog become prompts, and answers candidates.

Owns: which part of the catalog is shown (`ranking`, `schema_text`), looking into the data (`data_probes`),
writing (`writing`), repair (`repairing`), and the stages of one ASK (`model_expert`, `efforts`).
"""
