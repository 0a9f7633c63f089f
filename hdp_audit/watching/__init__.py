"""What is said while checks run: in a terminal, in a pipe, in a notebook."""
