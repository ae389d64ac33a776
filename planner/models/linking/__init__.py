"""The model's own choice of what it is shown of a large schema (APEX-SQL, section 3.2).

A part of the catalog goes through pruning (`batches`, `pruning`), what is left gets roles (`roles`), is
looked into table by table (`profiling`) and judged as a whole (`synthesis`, `connection`); `agents` puts
these in their order. The embedded linker's ranking says what goes first, and what does not go at all.
"""
