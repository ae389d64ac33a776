"""A frame of clauses → queries in logical form, with the ways in which it can be meant."""
