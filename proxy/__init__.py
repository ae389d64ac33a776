"""The top layer: wire protocol, sessions, the composition of an ASK, the command line.

The only folder with sockets. Knows everything below it; nothing knows it.
"""
