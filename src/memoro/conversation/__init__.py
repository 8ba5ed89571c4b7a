"""How full is a conversation, and what of it may go? All is pure but `context` and `policy`, which write notes."""
