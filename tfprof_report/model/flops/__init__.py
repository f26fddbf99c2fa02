"""FLOPs: the rules per op type, and the figures that they give."""
