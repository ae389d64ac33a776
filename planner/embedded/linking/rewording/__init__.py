"""A question in other words, before its words are linked: openings, word orders, trade, pay, texts."""
