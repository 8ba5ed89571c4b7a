"""The snapshot: what is curated at one moment, read once for all planners."""
