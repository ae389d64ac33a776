"""Every setting: the rows by subject, their table, how values are written, and which of two is looser.

Owns: the table and the values in force (`table`); what a row is (`setting`), how its value is read
(`parsing`) and how far a session may change it (`strictness`); rows by subject in the other files.
"""
