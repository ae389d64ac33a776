"""Candidate × question → verdict.

Owns: trying candidates under caps (`trial`), and the checklist of what can be said of a candidate from its
SQL, its result and the question (`constraints`, `rules`, `lints`).
"""

from askwire.verifier.trial import verify

__all__ = ["verify"]
