"""The PostgreSQL frontend/backend protocol as pure functions on bytes.

Owns: message layouts, frame walking, the bookkeeping of what the backend still owes an answer for. Must not
know: sockets, event loops, or what an ASK is. Source: PostgreSQL documentation, "Frontend/Backend Protocol".
"""
