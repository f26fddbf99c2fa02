"""Models whose runs are recorded as XPlane traces."""
