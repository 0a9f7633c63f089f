"""The document that people sign: what was promised, examined, stated and not covered, of one report or several."""
