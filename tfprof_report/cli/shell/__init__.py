"""tfprof's interactive shell."""
