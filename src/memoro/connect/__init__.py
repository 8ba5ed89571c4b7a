"""Connecting Memoro to the programs that people run agents in: what goes into which of their files, and out again."""
