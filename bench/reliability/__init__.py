"""Whether a stated confidence is true on databases that it was not fitted on, and the fit of its weights.

Owns: the sources of questions, their outcomes, the fit of `selector/confidence.json`, and reliability by
level with databases left out.
"""
