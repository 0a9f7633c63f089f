"""From counts and bets to bounds: what the draws prove, and how sure that is."""
