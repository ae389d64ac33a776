"""When, how long and how old: the calendar, times of the day, durations, ages, and what happened when."""
