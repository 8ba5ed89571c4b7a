"""Writes into the vault: entries, daily lines, episodes and whole notes."""
