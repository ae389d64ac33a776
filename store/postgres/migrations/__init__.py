"""The schema of the PostgreSQL store as numbered .sql files; forward only, never edited later."""
