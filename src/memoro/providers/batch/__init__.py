"""Batch jobs of providers: many texts at once, at half the price, for an answer within hours."""
