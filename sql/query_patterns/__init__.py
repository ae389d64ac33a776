"""What queries that people write do again and again, without the constants that they do it with.

Owns: the patterns (`patterns`), reading them off a query (`extraction`), a query as text without its
constants (`pattern_text`), and which constants are no one's data (`constants`).
"""
