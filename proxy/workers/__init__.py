"""Several processes as one server: their sockets, what they tell each other, and their supervisor."""
