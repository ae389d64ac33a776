"""The logical form of a query, without FROM: terms, conditions, and the SQL of what is worked out of columns."""
