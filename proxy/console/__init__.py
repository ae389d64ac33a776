"""The console: pages for anyone who operates askwire, on a small HTTP server in the same process.

Owns: what they show and who is let in. Reads the store, the ASKs under way and the settings; the one thing it
changes is feedback, through `memory.reviewing`.
"""
