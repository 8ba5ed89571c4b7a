"""What hooks put before an agent that did not ask: whether to speak, what is relevant, and how little suffices."""
