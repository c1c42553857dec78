"""The searches of the other stipulations: battle play and help play."""
