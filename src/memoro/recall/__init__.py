"""From a message to a packed, fenced and explained block of context."""
