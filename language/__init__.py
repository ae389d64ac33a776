"""English as askwire reads it: tokens, inflection, numbers, times, spelling, and lexica as data.

Owns: everything that can be said of English words without a database.
"""
