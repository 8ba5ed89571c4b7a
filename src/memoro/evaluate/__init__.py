"""`memoro eval`: asks questions with known answers through the public interface, and scores the results."""
