"""Audits of collections: compare what each record claims with what is proved."""
