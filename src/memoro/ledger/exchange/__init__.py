"""Ledgers on the move: whole from one home to another, and in from other stores."""
