"""How full is a conversation, and which part of it may be dropped? Only `context` and `policy` write notes."""
