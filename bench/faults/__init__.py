"""What a client sees when something breaks: injected faults, random bytes, a long mixed load."""
