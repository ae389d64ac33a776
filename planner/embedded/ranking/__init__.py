"""Candidates → features, score, confidence, and what of the question each covers."""
