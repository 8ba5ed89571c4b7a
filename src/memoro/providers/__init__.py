"""Embedders: one port; the built-in model needs no key, no network and no download."""
