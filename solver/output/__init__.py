"""How answers look: records for programs, text and drawings for people."""
