"""Judging: what a new fact repeats or replaces among the current ones, and the proposals that follow."""
