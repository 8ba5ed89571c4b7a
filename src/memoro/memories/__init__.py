"""Memories: single facts that use makes stronger or weaker, their links, and narratives."""
