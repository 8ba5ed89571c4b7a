"""What was given to whom: the record of recalls, its replay, and what became of what was given."""
