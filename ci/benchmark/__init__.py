"""Benchmarks with goals: each line runs its sides in turn and says whether its figure meets the goal.

`lines` has the lines, `goals` what they are held to, `sides` the commands, `inputs` what these read, `measure` runs
them, `results` prints. `native_view` and `warm_view` are programs of their own: they time one view of the native
profiler and one of ours, each without its start.
"""
