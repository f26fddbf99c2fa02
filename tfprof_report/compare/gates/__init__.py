"""Gates: their grammar, what they judge, and the verdict."""
