"""The command `history`, its options checked, its history built, and what else it writes."""
