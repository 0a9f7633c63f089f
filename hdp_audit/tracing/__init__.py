"""What a mechanism does with its random draws: recorded, replayed, and turned into each user's exact loss."""
