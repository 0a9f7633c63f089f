"""One file a command; what several of them need stands beside."""
