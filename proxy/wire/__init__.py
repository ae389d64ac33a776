"""The PostgreSQL frontend/backend protocol as pure functions on bytes.

Owns: message layouts, frame walking, the bookkeeping of what the backend still owes an answer for. Source:
PostgreSQL documentation, "Frontend/Backend Protocol".
"""
