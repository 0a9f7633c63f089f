"""`python -m hdp_audit` is `hdp-audit`."""

from hdp_audit.cli import main

if __name__ == "__main__":
    main()
