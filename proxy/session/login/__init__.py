"""From the first byte of a client to the first ReadyForQuery: encryption, what it wants, and the log-in."""
