"""What exists nowhere else: the ledger's services, how changes are undone, backups, exchange."""
