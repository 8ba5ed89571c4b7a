"""Context that hooks give unasked: whether to speak, what is relevant, and how little suffices."""
