"""Extraction: the facts that the owner stated in a conversation, found by rules or chosen by a language model."""
