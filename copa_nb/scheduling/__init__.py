"""Where work is done: on this machine's processors, or on a Dask cluster where one is given."""
