"""Reports of a fixed set of audits, kept as figures: a change of structure changes none of them."""
