"""The labs of the lessons, one module each."""
