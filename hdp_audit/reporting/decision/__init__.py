"""For people who decide: what was promised to whom, what was found, and what nobody has looked at; plain words."""
