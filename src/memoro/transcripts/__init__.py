"""Readers of conversation logs, one for each format. They read logs and never change them."""
