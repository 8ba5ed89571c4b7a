"""Connecting Memoro to hosts: edits their settings files, runs their commands, and takes all of it back."""
