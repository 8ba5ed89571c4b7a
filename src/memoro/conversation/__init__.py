"""How full is a conversation, and what of it may go? All is pure but `keeping`, which writes notes."""
