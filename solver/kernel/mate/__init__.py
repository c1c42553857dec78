"""The search for direct mates."""
