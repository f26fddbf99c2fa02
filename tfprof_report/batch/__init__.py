"""Many reports at once: entries, what each needs, the workers that make them, and the outcome of all.
May import everything outside `cli`, `capturing` and `profiler`; how a report is made is handed in as a function.
"""
