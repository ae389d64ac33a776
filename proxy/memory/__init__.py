"""What is remembered of ASKs, and who it reaches: pins, history, teaching, and their relations.

Owns: whose memory is whose. Must not know: the wire, how the store keeps it.
"""
