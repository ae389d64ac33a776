"""The catalog as the engine reads it: the index of its words, the roles of tables, and the graph of joins."""
