"""The ledger: its port, its services, how changes are applied and undone, backups, exchange."""
