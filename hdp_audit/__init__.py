"""hdp-audit: does an implementation keep each user's own privacy promise?"""

__version__ = "0.1.0"
