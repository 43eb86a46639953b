"""The arithmetic of COPA: ranks, criterion, regions of weights."""
