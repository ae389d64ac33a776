"""Benchmarks, run by hand against databases the user names; not shipped in the wheel."""
