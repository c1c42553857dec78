"""Web pages that solve: small ES modules, and the compiled kernel as WebAssembly."""
