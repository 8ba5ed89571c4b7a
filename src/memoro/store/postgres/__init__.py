"""A ledger that several machines share: rows in Postgres, and on each machine a copy of those it may see."""
