"""Who is moved, and between which data: tiers, single users, everybody by coins, worst cases, packings."""
