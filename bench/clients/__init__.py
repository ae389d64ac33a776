"""Real clients against a real proxy: which of them can ask in which way."""
