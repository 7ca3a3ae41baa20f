"""One accepted answer to each exercise, apart from the exercises so that nobody reads one by accident."""
