"""Files of every kind as relations that DuckDB can scan: text, workbooks, JSON, nested values."""
