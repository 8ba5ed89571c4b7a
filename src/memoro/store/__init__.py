"""Stores: the index and the ledger on SQLite, and plain oracles for the contract suites."""
