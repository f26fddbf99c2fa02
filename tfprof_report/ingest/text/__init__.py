"""Messages in text form: parsed into bytes, and names in messages that are no valid text."""
