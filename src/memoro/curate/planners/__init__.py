"""Planners: each reads what is curated and suggests changes. All are pure, and none writes."""
