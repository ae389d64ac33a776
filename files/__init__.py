"""Files → tables of a PostgreSQL, and what their data says of them."""
