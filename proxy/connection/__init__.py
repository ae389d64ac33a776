"""Reaching a server and letting a client in: connection strings, TLS, start-up, authentication, streams.

Owns: what happens before a session's first query, and connections of askwire's own.
"""
