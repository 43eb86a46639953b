"""Frame in, result out: the public verbs and their results."""
