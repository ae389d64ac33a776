"""Links of a question → typed symbols → the frame of clauses that the question fills."""
