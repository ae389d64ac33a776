"""Which rows are meant: values, comparisons and patterns of text, denied, or joined by 'and' and 'or'."""
