"""Audits of collections: what each record claims against what is proved."""
