"""Queries as people read them: in words, laid out, and with a name for each output column."""
