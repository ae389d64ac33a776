"""The vocabulary of askwire: frozen values, the error tree, the settings table and the seams.

Owns: the types every stage of an ASK reads and writes (`types`), the trace they leave (`trace`), the
errors a client can see (`errors`), every setting (`settings`) and the Protocols through which the outside
world is reached (`protocols`).
"""
