"""`memoro serve`: one process that looks after a home. What it does are parts; each runs in a thread of its own."""
