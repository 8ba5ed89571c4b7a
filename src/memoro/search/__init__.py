"""Find passages: `query`, `rank` and `snippet` are pure; `retrieve` reads the index; `finder` is the way in."""
