"""Plain in-memory implementations: the oracles of the contract suites."""
