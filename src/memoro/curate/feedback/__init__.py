"""Feedback: which answer the owner speaks of, what is kept of it, and its effect on what was given."""
