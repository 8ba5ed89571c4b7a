"""Gating: which automatic suggestions may wait for a person, and why the others are withheld."""
