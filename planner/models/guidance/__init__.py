"""Tips that a question calls for (APEX-SQL, section 3.3.1, appendix C): a library, and rules that choose.

Both are data, in `tips.toml`. The sentences are askwire's own and speak of PostgreSQL.
"""
