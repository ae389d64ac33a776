"""Row tracing: which rows of the base relations an answer rests on, by rewriting the query alone.

Owns: scope resolution on PostgreSQL's own tree; the passes that turn a query into one that lists the rows
behind its answer (`lineage`); the queries over a chosen few rows (`shadows`, `ties`, `evaluation`); what
tells the rows of a relation apart (`identity`). Pure: it writes SQL and reads what comes back.
"""
