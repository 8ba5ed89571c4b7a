"""Values and pure rules. Nothing here touches a file, a clock or a database.

Values are `NamedTuple`s: immutable like frozen dataclasses, at a tenth of the cost when a program
starts (docs/decisions/0002-values-are-named-tuples.md).
"""
