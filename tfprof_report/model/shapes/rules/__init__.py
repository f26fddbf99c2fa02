"""The shape rules of op types, grouped by the families of TensorFlow's documentation, and the table of all of them.
May import what model.shapes may, and its modules padded, state and fold.
"""
