"""The prompts of models that review SQL, one file each; `llm.prompts` says how they are written."""
