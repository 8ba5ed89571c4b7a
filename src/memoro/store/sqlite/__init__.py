"""The index in SQLite: the engine and its dangers, generations of files, and the store itself."""
