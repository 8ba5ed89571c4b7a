"""What answers this? `query`, `rank` and `snippet` are pure; `retrieve` asks the index."""
