"""How much a statement can make of little: rows put together, long values, numbers of many digits."""
