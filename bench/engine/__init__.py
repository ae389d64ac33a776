"""What the embedded engine does with a question, what it costs, and what a query log is worth to it."""
