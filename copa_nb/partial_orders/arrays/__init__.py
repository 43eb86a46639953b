"""Relations, union-free generic sets, depth and consensus."""
