"""Measuring the product from outside: questions in, predictions and figures out.

Owns: question files, runs through the wire, scoring, figures. Not part of the wheel.
"""
