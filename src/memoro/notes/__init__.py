"""What is written into the vault: entries, daily lines, episodes, notes; and what agents propose to write."""
