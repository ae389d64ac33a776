"""The embedded engine: an expert that needs no model, no key and no network."""
