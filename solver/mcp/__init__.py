"""The server for language models, by the Model Context Protocol."""
