"""The demo: a PostgreSQL of its own with the sample shop, and askwire in front of it.

Owns: finding, starting and ending that server.
"""
