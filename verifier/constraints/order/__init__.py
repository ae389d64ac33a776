"""Which rows come first: an order, ranks, the first few, and ends in size or in time."""
