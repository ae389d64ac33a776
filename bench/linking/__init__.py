"""What of a schema the embedded linker hands to the prompts of models, held against gold queries."""
