"""Files and folders written whole or not at all, and the templates."""
