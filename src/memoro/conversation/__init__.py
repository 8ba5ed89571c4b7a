"""The window of a conversation: its use, its compaction and its digest. Only `context` and `policy` write notes."""
