"""What Python and compiled code share: structs, constants, operations."""
