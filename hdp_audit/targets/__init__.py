"""From a mechanism to draws: named random streams, and one way to call whatever is under audit."""
