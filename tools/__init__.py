"""What builds, checks and measures the project; CONTRIBUTING.md lists the commands."""
