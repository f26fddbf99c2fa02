"""Traces of TensorFlow's and JAX's profiler, ``*.xplane.pb``, into the columns that run metadata has.

``space`` flattens the message, ``stats`` looks up what events say of themselves, the others find what they mean.
"""
