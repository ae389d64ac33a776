"""Measuring the product from outside: questions in, predictions and figures out.

Owns: question files, runs through the wire, scoring, figures. Must not know: how an ASK is answered; what is
measured is reached only as a client reaches it, and never sees the gold SQL. Not part of the wheel.
"""
