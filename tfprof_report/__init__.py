"""Offline reports of a TensorFlow model's FLOPs, parameters, memory and time, and of what a change did to them."""

from importlib.metadata import version

__version__ = version("tfprof-report")
