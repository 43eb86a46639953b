"""Tables from elsewhere: files, and what other libraries hold, as frames."""
