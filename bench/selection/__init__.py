"""Measuring selection: strategies over a pool of predictions, what they gain, and how sure that is."""
