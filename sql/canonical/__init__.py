"""One form for what means the same: results, queries, conditions and schemas, so that equals are equal."""
