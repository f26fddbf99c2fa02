"""Records a model while it runs: its graph, a trace and its names, as a folder that reports are made from.

TensorFlow, Keras and JAX are those that the caller has imported (``sys.modules``); nothing here imports them.
May import everything except cli.
"""
