"""The logical form of a query, without FROM: terms and conditions, and what is worked out of columns."""
