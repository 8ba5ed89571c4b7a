"""Sessions: the record of every block that was given, its replay, and the feedback on its items."""
