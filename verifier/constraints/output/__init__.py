"""What is shown: how many columns, in which order, each row once, and nothing beside it."""
