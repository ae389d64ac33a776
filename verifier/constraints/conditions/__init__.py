"""Which rows are meant: numbers, quoted words, comparisons, 'not', 'both', 'only', and how many of it."""
