"""Statements of askwire's own: on the client's connection, on one of its own, and on a standby.

Owns: what is sent, in which order, within which limits, and that the client's session is left as it was.
"""
