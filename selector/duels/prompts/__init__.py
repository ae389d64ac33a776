"""The prompts of duels, one file each."""
