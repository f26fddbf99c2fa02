"""How fast ops, layers and steps ran, what share of a device's peak that is, and what bounds them."""
