"""Curation: which facts are kept, and what should change in what is kept.

Conversations become facts (`extraction`), and each new fact is compared with the current ones (`judging`). The
owner's word on an answer has its effect (`feedback`). A round (`rounds`) reads what is curated (`snapshot`) and plans
changes (`planners`). Every automatic suggestion passes `gating`. A person decides on what waits (`reviewing`), and
there alone it becomes a change.
"""
