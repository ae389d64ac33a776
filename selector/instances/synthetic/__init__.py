"""Rows that are made up: their values, what they keep to of their tables, and small databases of them."""
