"""Fitting the data files of the embedded engine; nothing here is needed at run time.

Owns: collecting proposals over a question set with their features and outcomes, and the fit.
"""
