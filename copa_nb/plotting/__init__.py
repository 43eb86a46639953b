"""What all pictures share: style, labels, legends and axes."""
