"""Separating rows as files that show the difference between queries without the database they come from."""
