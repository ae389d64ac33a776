"""The prompts of experts that are models, one file each; `llm.prompts` says how they are written.

All begin alike, up to the findings, so that an endpoint which caches prompts reads that part once per ASK.
"""
