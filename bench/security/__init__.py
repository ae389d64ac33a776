"""Measuring the gate: hostile statements, their disguises, and gold queries."""
