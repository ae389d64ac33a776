"""Rows that belong together for a candidate, by the provenance of what it returns, and which sets to try."""
