"""Why figures changed: the nodes and scopes that carry a change, and what is behind it."""
