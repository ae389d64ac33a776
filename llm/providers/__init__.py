"""Where models are reached: the one folder of `llm` that does I/O.

Owns: wire formats and connections. Takes nothing but what the door of `llm.egress` made.
"""
