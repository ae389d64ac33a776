"""The sample shop: a small, believable database to ask questions of.

Owns: the words, the rows and the psql script of the sample. `write_sql` is all that others need.
"""

from askwire.proxy.demo.sample.script import write_sql

__all__ = ["write_sql"]
