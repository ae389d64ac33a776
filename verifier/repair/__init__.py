"""Making a candidate right: by mends, which are free, and by anyone who can think.

Owns: the mends, the classes of failure, the seam of the repairer and the rule of when a repair is taken.
"""

from askwire.verifier.repair.repairer import Repairer, Request, ScriptedRepairer
from askwire.verifier.repair.taxonomy import Trouble, trouble

__all__ = ["Repairer", "Request", "ScriptedRepairer", "Trouble", "trouble"]
