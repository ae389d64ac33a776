"""What operators see and do: figures of the process, their exposition, spans, and the admin database.

Owns: counting and showing.
"""
