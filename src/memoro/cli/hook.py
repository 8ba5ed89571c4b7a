"""`memoro hook`."""
