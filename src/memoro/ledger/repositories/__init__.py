"""The queries that a ledger answers, by what they are about. Rules live elsewhere: these read and write rows.

A number that no row can have (0, negative, 2**63 and above) names nothing: `find` returns None, `get` raises
`NotFound`. Listings are by number, oldest first, unless they say otherwise.
"""
