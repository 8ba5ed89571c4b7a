"""`memoro serve`: one process that looks after a home. It runs services, each on a thread of its own."""
