"""An audit as one page for a browser, with everything it needs inside."""
