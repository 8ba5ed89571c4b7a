"""Rounds: planners read a snapshot, a model may choose among their suggestions, and the rest goes to the gate."""
