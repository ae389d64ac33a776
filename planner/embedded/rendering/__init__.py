"""A query in logical form → SQL, what its joins count twice, and the reading in words."""
