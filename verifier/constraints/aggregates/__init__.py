"""What is computed: averages, counts, sums and shares, and for which groups."""
