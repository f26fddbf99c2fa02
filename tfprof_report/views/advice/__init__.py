"""tfprof's advise: checkers that look at the whole model and return findings as plain data.
May import everything that views may, and all of views.
"""
