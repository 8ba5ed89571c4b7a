"""Reviewing: a person lists, rewords, accepts and rejects proposals; accepted ones are carried out here alone."""
