"""Messages that askwire steps in for: from the client's bytes to the bytes the backend gets in their place.

Owns: an ASK as text, as a parameter, as a command, and askwire's relations in a query.
"""
