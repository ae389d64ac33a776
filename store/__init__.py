"""What askwire remembers between ASKs: history, pins, weights, feedback.

Must not know: how what it keeps is used. Empty until something is kept.
"""
