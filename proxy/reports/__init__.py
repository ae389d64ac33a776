"""What the asker is shown about an ASK: NOTICEs, progress, and the reports of WHY, SQL and CHOICES.

Owns: every text about an answer that people see, and the rows that show it.
"""
