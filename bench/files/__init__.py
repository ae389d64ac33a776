"""What loading a file costs, and what is found in the data held against what their makers declared."""
