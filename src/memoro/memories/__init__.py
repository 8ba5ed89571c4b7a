"""What is kept, and how firmly: memories, their links and narratives, the journal, the archive and the backups."""
