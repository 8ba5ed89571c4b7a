"""The HTTP API: every operation of the table as a route, for programs that send a token."""
