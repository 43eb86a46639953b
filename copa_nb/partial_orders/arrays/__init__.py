"""Relations, union-free generic sets, depth, rankings and the layout of Hasse diagrams: numpy in, numpy out."""
