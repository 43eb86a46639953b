"""Tables from files and from other libraries, as frames."""
