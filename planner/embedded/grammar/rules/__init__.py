"""The rules of the grammar, a family per file; `grammar.clauses` puts them in order."""
