"""Mechanisms that were written without knowledge of how the auditor searches, and a runner that audits them all."""
