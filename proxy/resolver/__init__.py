"""From one ASK to the SQL that takes its place: planner, verifier and selector in the asker's session.

`resolver.AskResolver` implements `proxy.asking.requests.Resolver`.
"""
