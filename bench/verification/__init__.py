"""Measuring the verifier: constraints, checks, mends and repair."""
