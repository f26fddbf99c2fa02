"""The outputs of the native tool: text, timelines, pprof, and stacks."""
