"""What was learned by doing: an intent, what was done about it, and how well that went."""
