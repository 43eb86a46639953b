"""What all pictures share: style, labels, legends, axes."""
