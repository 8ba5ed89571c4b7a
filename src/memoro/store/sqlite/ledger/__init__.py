"""The ledger and the archive in SQLite, a file each."""
