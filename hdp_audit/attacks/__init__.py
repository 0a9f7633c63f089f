"""What to try: which users, which datasets, which output event."""
