"""tfprof's advise: checkers over the whole model."""
