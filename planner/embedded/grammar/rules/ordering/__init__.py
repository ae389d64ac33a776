"""What comes first: superlatives, places in an order, sorting, and lists by a measure."""
