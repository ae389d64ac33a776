"""Models that look at what others wrote: an opinion before a candidate runs, and one on its answer.

ReCAPAgent's SQL critique and result validator, and PV-SQL's verification by a model, each a strategy behind
the setting `review`. Owns: what is asked, how an answer is read, and how many are asked for. An opinion is a
check like any other, but evidence and no proof: it cannot take a candidate away, cannot write SQL, and the
gate, the caps and the rules do not hear of it.
"""

from askwire.verifier.review.reviewer import Reviewer, ScriptedReviewer

__all__ = ["Reviewer", "ScriptedReviewer"]
