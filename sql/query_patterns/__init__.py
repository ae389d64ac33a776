"""What queries that people write do again and again, without the constants that they do it with.

Owns: habits (`habits`), reading them off a query (`observing`), queries as patterns (`literals_left_out`),
and which constants are no one's data (`constants`).
"""
