"""The store of any number of askwire processes: a schema of a PostgreSQL database.

Owns: `core.protocols.Store` over psycopg and its pool.
"""
