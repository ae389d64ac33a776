"""One client and its backend: the relay, and askwire's own talk on the client's connection.

Owns: sessions.
"""
