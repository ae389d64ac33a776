"""The schema of the SQLite store as numbered steps, each an .sql file; forward only, never edited later."""
