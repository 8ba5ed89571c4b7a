"""Experiences: an intent, what was done about it, and how well that went."""
