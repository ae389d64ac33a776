"""Measuring row tracing: pairs and mutants told apart, and an audit of every claim."""
