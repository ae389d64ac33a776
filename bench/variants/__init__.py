"""Questions said in other words, derived by script from a set of questions with gold SQL."""
