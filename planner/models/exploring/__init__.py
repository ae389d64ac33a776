"""An agent that explores the data until it can write and confirm a query (APEX-SQL, section 3.3.2).

Owns: its actions (`explorer`), and what it is shown about those before (`history`).
"""
