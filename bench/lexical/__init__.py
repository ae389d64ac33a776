"""Makes the engine's thesaurus: which words may name the same thing, from WordNet and from word vectors."""
