"""Several reports side by side: differences to the first, Pareto fronts, layers by name. May import `report`.

What it makes is plain data; `render.side_by_side` lays it out.
"""
