"""Lock files: what questions stand for, written down, reviewed, and held against the database later.

Owns: the file of questions, the lock's format, and when an answer counts as changed.
"""
