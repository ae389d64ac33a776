"""What passes between a client and its backend: bytes as they came, up to a message that concerns askwire."""
