"""TensorFlow's profiler in the shape that programs know, ``tf.compat.v1.profiler``, without TensorFlow.
May import everything but cli.
"""
