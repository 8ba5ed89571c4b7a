"""How well does search find: questions with known answers, run through the front door and scored."""
