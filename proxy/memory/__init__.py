"""What is remembered of ASKs, and who it reaches: pins, history, teaching, and their relations.

Owns: whose memory is whose.
"""
