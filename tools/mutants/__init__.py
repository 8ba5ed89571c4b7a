"""Small wrong changes to the rules of the program, and whether the tests of their area notice."""
