"""The GSD front: what the paper claims, and how it is checked (``claims.py``)."""
