"""Pure text and tree work on PostgreSQL's SQL: scanning, the ASK grammar, the gate, the catalog model.

Owns: everything that can be said of a statement without running it. What needs the database is expressed as
SQL text plus a function that reads its rows.
"""
