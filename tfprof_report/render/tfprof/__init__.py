"""The outputs of the native tool, byte for byte: text, timelines and pprof; beyond it folded stacks and speedscope.
May import files, nothing else of render.
"""
