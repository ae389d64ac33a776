"""Words of a question → tables, columns, values, codes and the hints that come with it."""
