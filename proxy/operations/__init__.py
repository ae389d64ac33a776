"""What operators see and do: figures of the process, their exposition, spans, and the admin database.

Owns: counting and showing. Must not know: how a question becomes SQL, or HTTP.
"""
