"""The command `check`: what works with a backend, tried through askwire itself."""
