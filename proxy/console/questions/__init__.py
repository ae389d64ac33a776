"""Asking in the console: people sign in to PostgreSQL as themselves, through askwire, and ask there.

Owns: their sessions, the questions in them with their answers, and the pages for both.
"""
