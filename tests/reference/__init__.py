"""Pages of docs/ that are generated from code: settings, errors, statements, commands, texts."""
