"""Long texts for a prompt: their sections, and the parts of them that share words with a question."""
