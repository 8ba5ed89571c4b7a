"""The built-in model: a static table of word pieces distilled from all-MiniLM-L6-v2 (docs/model-card.md)."""
