"""Measures the console: how long pages take with a long history, how large they are, and in a real browser.

Owns: a store that is filled with made-up ASKs, and the figures. Must not know: how pages are made.
"""
