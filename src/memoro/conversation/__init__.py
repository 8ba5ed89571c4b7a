"""Care for a conversation's own window."""
