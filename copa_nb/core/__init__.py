"""Arrays in, arrays out: the mathematics, free of pandas and matplotlib."""
