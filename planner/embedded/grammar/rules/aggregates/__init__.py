"""What is computed: counts, totals, measures, shares and quotients, and the groups each is computed for."""
