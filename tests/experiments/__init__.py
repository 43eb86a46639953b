"""Programs that made the bundled tables, so that they can be made again or made larger."""
